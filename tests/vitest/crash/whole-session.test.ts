/**
 * A server is killed at points spread over a whole session; each time a new server goes on to the merge. A soak
 * tries more points, in a session of all steps.
 */
import { expect, test } from 'vitest';
import type { Answer, Host } from '../server/host.ts';
import { placeOf } from '../session/world.ts';
import { SOAK, tried } from '../soak.ts';
import { afterDeath, expectAllWell, isDeath, type LogLine, Project } from './project.ts';

const POINTS = SOAK ? 120 : 4;
const REQUEST = SOAK ? 'add a greeting' : '--fast --no-doc add a greeting';

/** Sends payload after payload to the end; when the server dies, goes on with a new one. */
async function goThrough(project: Project, at: number): Promise<{ answer: Answer; died: boolean }> {
  let host = await project.host(at);
  let died = false;
  let answer: Answer | null = null;
  for (let calls = 0; calls < 60; calls++) {
    const payload = answer && project.reply(answer);
    const send = (to: Host): Promise<Answer> => (payload ? to.submit(payload) : to.start(REQUEST));
    let next: Answer;
    try {
      next = await send(host);
    } catch (error) {
      if (died || !isDeath(error)) throw error;
      died = true;
      await afterDeath(project);
      host = await project.host();
      // Every other model sends the same again; the rest ask where they are first, and answer that.
      next = at % 2 === 0 ? await send(host) : await host.status();
    }
    if (next.error === 'session_active') next = await host.status();
    if (next.error === 'no_session') {
      answer = null;
      continue;
    }
    if (next.phase === 'SESSION_COMPLETE') return { answer: next, died };
    expect(next.error, `${next.phase}: ${next.message} ${JSON.stringify(next.problems)}`).toBeUndefined();
    answer = next;
  }
  throw new Error(`the session does not end: ${answer && placeOf(answer)}`);
}

/** Whoever comes next clears away what a crash at the very end, or before the beginning, left. */
async function nextSession(project: Project): Promise<void> {
  const host = await project.host();
  const started = await host.start('--only-verify');
  expect(started.phase).toBe('POST_IMPL_VERIFY');
  expect((await host.submit({ passed: true, details: 'nothing to run' })).outcome).toBe('verified');
}

/** Where it matters most: around every line of the journal, and around every git that changes something. */
const CRUCIAL =
  /^(before|behind) (appendFileSync .*journal\.jsonl|git (commit|switch|merge|update-ref|checkout-index|config|update-index))\b/;

/** `count` of them, evenly spread. */
const spread = (lines: readonly LogLine[], count: number): number[] =>
  Array.from({ length: Math.min(count, lines.length) }, (_, index) => {
    const line = lines[Math.floor(((index + 0.5) * lines.length) / Math.min(count, lines.length))];
    return line?.point ?? 0;
  });

/** The numbers of the points that are tried: spread over the session; in a soak half of them are crucial ones. */
function chosen(all: readonly LogLine[]): number[] {
  const crucial = SOAK
    ? spread(
        all.filter((line) => CRUCIAL.test(line.what ?? '')),
        POINTS / 2,
      )
    : [];
  return [...new Set([...spread(all, POINTS - crucial.length), ...crucial])].sort((a, b) => a - b);
}

test('a server killed anywhere in a session leaves one that a new server brings to the merge', { timeout: 3 * 3_600_000 }, async () => {
  const whole = new Project();
  const unharmed = await goThrough(whole, 0);
  const all = whole.points();
  await nextSession(whole);
  expectAllWell(whole, unharmed.answer);
  let killed = 0;
  const failures: string[] = [];
  const numbers = chosen(all);
  for (const at of numbers) {
    const project = new Project();
    const what = `point ${at}: ${all[at - 1]?.what}`;
    try {
      const { answer, died } = await goThrough(project, at);
      if (died) killed += 1;
      await nextSession(project);
      expectAllWell(project, answer);
    } catch (error) {
      failures.push(`${what}\n${(error as Error).message}`);
      console.log(failures.at(-1));
    }
    await project.close();
  }
  tried(`server killed at points of a session (it has ${all.length})`, killed, killed - failures.length);
  expect(failures.join('\n\n')).toBe('');
  expect(killed).toBeGreaterThan(numbers.length * 0.9);
});
