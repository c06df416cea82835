/** The phase matrix: FLOW.md's flags table, written down once more by hand, against whole sessions of every combination. */
import { describe, expect, test } from 'vitest';
import { isFlowError, parseRequest } from '../../../mcp-server/src/flow/flags.ts';
import type { Intent } from '../../../mcp-server/src/flow/types.ts';
import { hasPrePlanning, isInvestigation, SKIPS, skippedByFlags, steps } from './matrix.ts';
import { Session, STALE } from './session.ts';

const FLAGS = [...Object.keys(SKIPS), 'no-pre-planning', 'only-explore', 'only-verify', 'gate-full'];
const INTENTS: Intent[] = ['IMPLEMENT', 'MODIFY', 'INVESTIGATE', 'QUESTION'];

interface Case {
  intent: Intent;
  flags: string[];
  stale: boolean;
  answers: { q1: boolean; q2: boolean; q3: boolean };
}

function isRefused({ flags }: Case): boolean {
  return flags.includes('only-verify') && (flags.includes('only-explore') || flags.includes('no-verify'));
}

/** Which steps a session without trouble must pass over, by FLOW.md alone. */
function expectedSkips({ intent, flags, stale, answers }: Case): number[] {
  if (flags.includes('only-verify')) return skippedByFlags(flags, intent);
  const skipped = new Set(skippedByFlags(flags, intent));
  if (!stale) skipped.add(2);
  if (!flags.includes('gate-full')) {
    if (!answers.q1) skipped.add(7);
    if (!answers.q2) skipped.add(9);
    if (!answers.q3) skipped.add(11);
  }
  return [...skipped].sort((a, b) => a - b);
}

function expectedOutcome({ intent, flags }: Case): string {
  if (flags.includes('only-verify')) return 'verified';
  return isInvestigation(flags, intent) ? 'investigated' : 'completed';
}

const requestOf = ({ flags }: Case): string =>
  [...flags.map((flag) => (flag === 'gate-full' ? '--gate=full' : `--${flag}`)), 'do it'].join(' ');

/** Walks to the end; returns each step in the order in which it was answered. */
function walk({ intent, stale, answers, ...rest }: Case): { session: Session; answered: (number | string)[] } {
  const session = new Session({ request: requestOf({ intent, stale, answers, ...rest }), intent, stale: stale ? [STALE] : [] });
  const reason = 'because of what was read';
  const said: Record<string, Record<string, unknown>> = {
    Q1: { needs_more_information: answers.q1, reason },
    Q2: { has_unverified_hypotheses: answers.q2, reason },
    Q3: { needs_impact_analysis: answers.q3, reason },
  };
  const answered: (number | string)[] = [];
  while (!session.complete) {
    answered.push(PRE_PLANNING[session.state.node] ?? session.state.step);
    const answer = said[session.state.node];
    if (answer) session.send(answer);
    else session.usual();
  }
  return { session, answered };
}

function* allCases(): Generator<Case> {
  for (const intent of INTENTS) {
    for (let bits = 0; bits < 1 << FLAGS.length; bits++) {
      const flags = FLAGS.filter((_, index) => bits & (1 << index));
      for (const stale of [false, true]) {
        for (const [q1, q2, q3] of [
          [false, false, false],
          [true, true, true],
          [true, false, true],
        ] as const) {
          yield { intent, flags, stale, answers: { q1, q2, q3 } };
        }
      }
    }
  }
}

/** Three phases of step 4, each with a letter of its own. */
const PRE_PLANNING: Record<string, string> = { REQUEST_UNDERSTANDING: '4a', INFORMATION_PLANNING: '4b', INFORMATION_COLLECTION: '4c' };

/** 16 stands beside the road: it is passed over without a word unless a flag skips it. */
const MAIN_ROAD = steps(2, 19);

describe('the phase matrix', () => {
  test('holds for every combination of flags, intent, stale branches and answers', () => {
    let walked = 0;
    let refused = 0;
    for (const one of allCases()) {
      const name = `${one.intent} ${requestOf(one)} stale=${one.stale} ${JSON.stringify(one.answers)}`;
      if (isRefused(one)) {
        expect(isFlowError(parseRequest(requestOf(one), one.intent)), name).toBe(true);
        refused += 1;
        continue;
      }
      const { session, answered } = walk(one);
      const skipped = expectedSkips(one);
      const run = MAIN_ROAD.filter((step) => !skipped.includes(step) && step !== 16);
      const { skipped_steps, completed_steps, outcome } = session.state;
      const seen = { skipped: [...skipped_steps].sort((a, b) => a - b), answered, completed: completed_steps, outcome };
      const letters = hasPrePlanning(one.flags, one.intent) ? Object.values(PRE_PLANNING) : [];
      const road = run.flatMap((step) => (step === 4 ? [4, ...letters] : [step]));
      const wanted = { skipped, answered: road, completed: [1, ...run], outcome: expectedOutcome(one) };
      // Twenty thousand calls of expect would take longer than the walks.
      if (JSON.stringify(seen) !== JSON.stringify(wanted)) expect(seen, name).toEqual(wanted);
      walked += 1;
    }
    expect({ walked, refused }).toEqual({ walked: 4 * 1024 * 6 - refused, refused: 4 * 384 * 6 });
  });

  test('every flag of the table either skips steps here or is known not to', () => {
    const others = ['approve', 'gate', 'doc-research', 'no-pre-planning', 'only-explore', 'only-verify', 'clean', 'rebuild'];
    const known = [...Object.keys(SKIPS), ...others].sort();
    expect(Object.keys(new Session().state.flags).sort()).toEqual(known);
  });

  test('a failed --only-verify completes with that outcome, and never asks or goes back', () => {
    const session = new Session({ request: '--only-verify check it' });
    expect(session.state.step).toBe(15);
    session.fail();
    expect(session.state).toMatchObject({ phase: 'SESSION_COMPLETE', outcome: 'verification_failed', tasks: [] });
  });
});
