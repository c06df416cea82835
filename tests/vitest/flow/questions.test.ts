/** Q1 to Q3: reasons, gate, and answers sent ahead (FLOW.md, Steps). */
import { describe, expect, test } from 'vitest';
import type { Payload } from '../../../mcp-server/src/flow/types.ts';
import { Session } from './session.ts';

const REASON = 'read all of it';
const q1 = (answer: boolean, more: Payload = {}): Payload => ({ needs_more_information: answer, reason: REASON, ...more });
const q2 = (answer: boolean, more: Payload = {}): Payload => ({ has_unverified_hypotheses: answer, reason: REASON, ...more });
const q3 = (answer: boolean): Payload => ({ needs_impact_analysis: answer, reason: REASON });

const at = (node: string, request = 'x', intent: 'IMPLEMENT' | 'QUESTION' = 'IMPLEMENT'): Session =>
  new Session({ request, intent }).to(node);

describe('a reason', () => {
  test.each(['123456789', '  123456789  ', '\n123456789\t', '', '          '])(
    'of Q1 %j is shorter than 10 characters after trimming',
    (reason) => {
      expect(at('Q1').problems(q1(false, { reason }))).toEqual([['/reason', 'problem.says']]);
    },
  );

  test.each(['1234567890', '  1234567890\n', '1 3 5 7 90', '事前にすべて読みました', 'line\n\nother'])(
    'of Q1 %j is long enough',
    (reason) => {
      expect(at('Q1').send(q1(false, { reason })).state.assessments.q1).toEqual({ answer: false, reason: reason.trim() });
    },
  );

  test('of Q2 and Q3 may be short but not empty', () => {
    expect(at('Q2').problems(q2(false, { reason: ' ' }))).toEqual([['/reason', 'problem.blank']]);
    expect(at('Q2').send(q2(false, { reason: 'r' })).state.node).toBe('Q3');
    expect(at('Q3').problems({ ...q3(false), reason: '' })).toEqual([['/reason', 'problem.blank']]);
    expect(at('Q3').send({ ...q3(false), reason: 'r' }).state.node).toBe('READY_PLAN');
  });

  test.each([
    ['Q1', 'needs_more_information'],
    ['Q2', 'has_unverified_hypotheses'],
    ['Q3', 'needs_impact_analysis'],
  ])('of %s may carry its name of v1.10', (node, field) => {
    const session = at(node).send({ [field]: true, [`${field}_reason`]: 'an older name for it' });
    expect(session.warningKeys()).toEqual([]);
    expect(Object.values(session.state.assessments).at(-1)).toEqual({ answer: true, reason: 'an older name for it' });
  });

  test('under both names counts by its present one', () => {
    const session = at('Q2').send(q2(true, { has_unverified_hypotheses_reason: 'older' }));
    expect(session.state.assessments.q2?.reason).toBe(REASON);
  });
});

describe('under --gate=full', () => {
  test('each phase runs whatever the answer, and the answers are kept', () => {
    const session = at('Q1', '--gate=full x').end();
    expect(session.trail).toEqual(expect.arrayContaining(['SEMANTIC', 'VERIFICATION', 'IMPACT_ANALYSIS']));
    expect(session.state.assessments).toMatchObject({ q1: { answer: false }, q2: { answer: false }, q3: { answer: false } });
  });
});

type Answer = boolean | undefined;
const ANSWERS: Answer[] = [undefined, false, true];

/** Where a look-ahead leads and which of its answers are dropped, from FLOW.md's sentence alone. */
function expected(full: boolean, asked: Answer[], present: string): { node: string; dropped: string[]; used: string[] } {
  const nodes = ['Q1', 'Q2', 'Q3'];
  const runs: Record<string, string> = { Q1: 'SEMANTIC', Q2: 'VERIFICATION', Q3: 'IMPACT_ANALYSIS' };
  const after: Record<string, string> = { Q1: 'Q2', Q2: 'Q3', Q3: 'READY_PLAN' };
  const used: string[] = [];
  const dropped: string[] = [];
  let node = present;
  nodes.slice(nodes.indexOf(present)).forEach((question, index) => {
    const answer = asked[index];
    if (answer === undefined) return;
    if (node !== question || (full && index > 0)) dropped.push(question.toLowerCase());
    else {
      used.push(question.toLowerCase());
      node = (full || answer ? runs[question] : after[question]) as string;
    }
  });
  return { node, dropped, used };
}

describe('answers sent ahead', () => {
  const combinations = [false, true].flatMap((first) =>
    ANSWERS.flatMap((second) => ANSWERS.map((third) => [first, second, third] as const)),
  );

  test.each([false, true])('with Q1, in every combination, gate=full %s', (full) => {
    for (const [first, second, third] of combinations) {
      const ahead = { ...(second === undefined ? {} : { q2: q2(second) }), ...(third === undefined ? {} : { q3: q3(third) }) };
      const session = at('Q1', full ? '--gate=full x' : 'x').send(q1(first, ahead));
      const { node, dropped, used } = expected(full, [first, second, third], 'Q1');
      const seen = {
        node: session.state.node,
        dropped: session.warnings.map(({ params }) => params?.name),
        used: Object.keys(session.state.assessments),
      };
      expect(seen, JSON.stringify([first, second, third])).toEqual({ node, dropped, used });
      expect(new Set(session.warningKeys())).toEqual(new Set(dropped.length > 0 ? ['warning.look_ahead_dropped'] : []));
    }
  });

  test.each([false, true])('with Q2, in every combination, gate=full %s', (full) => {
    for (const first of [false, true]) {
      for (const second of ANSWERS) {
        const session = at('Q2', full ? '--gate=full x' : 'x').send(q2(first, second === undefined ? {} : { q3: q3(second) }));
        const { node, dropped } = expected(full, [first, second], 'Q2');
        expect([session.state.node, session.warnings.map(({ params }) => params?.name)]).toEqual([node, dropped]);
      }
    }
  });

  test('that need nothing cost one round trip, and every step between counts as skipped', () => {
    const session = at('Q1').send(q1(false, { q2: q2(false), q3: q3(false) }));
    expect(session.state).toMatchObject({ node: 'READY_PLAN', completed_steps: [1, 3, 4, 5, 6, 8, 10], skipped_steps: [2, 7, 9, 11] });
  });

  test('end an investigation at once', () => {
    const session = at('Q1', 'x', 'QUESTION').send(q1(false, { q2: q2(false), q3: q3(false) }));
    expect([session.complete, session.state.outcome]).toEqual([true, 'investigated']);
  });

  test('are validated with the payload that carries them, used or not', () => {
    expect(at('Q1').problems(q1(true, { q2: { has_unverified_hypotheses: false } }))).toEqual([['/q2/reason', 'problem.missing']]);
    expect(at('Q1').problems(q1(false, { q3: { needs_impact_analysis: 'maybe', reason: '' } }))).toEqual([
      ['/q3/needs_impact_analysis', 'problem.type'],
      ['/q3/reason', 'problem.blank'],
    ]);
    expect(at('Q2').problems(q2(false, { q3: [] }))).toEqual([['/q3', 'problem.type']]);
  });

  test('may be JSON text, carry the names of v1.10, or hold keys that nobody knows', () => {
    const session = at('Q1').send(
      q1(false, { q2: JSON.stringify({ has_unverified_hypotheses: 'false', has_unverified_hypotheses_reason: 'older' }) }),
    );
    expect(session.state).toMatchObject({ node: 'Q3', assessments: { q2: { answer: false, reason: 'older' } } });
    const nested = at('Q1').send(q1(false, { q2: q2(false, { q3: { needs_impact_analysis: 'nonsense' } }) }));
    expect([nested.state.node, nested.warnings]).toEqual(['Q3', [{ key: 'warning.unknown_key', params: { key: 'q2/q3' } }]]);
  });

  test('are not looked at when Q3 is the question', () => {
    expect(at('Q3').send({ ...q3(true), q2: q2(false) }).warnings).toEqual([{ key: 'warning.unknown_key', params: { key: 'q2' } }]);
  });
});

describe('asked again after a return to EXPLORATION', () => {
  test('the answers are forgotten, and a step that was skipped may run now', () => {
    const session = at('READY_PLAN').send({ revert_to: 'EXPLORATION', reason: 'too little known' });
    expect([session.state.node, session.state.assessments]).toEqual(['EXPLORATION', {}]);
    session.usual().send(q1(true)).usual();
    expect(session.state.skipped_steps).not.toContain(7);
    expect(session.state.completed_steps).toContain(7);
  });
});
