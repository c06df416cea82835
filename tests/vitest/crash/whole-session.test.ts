/**
 * A server is killed at points spread over a whole session; each time a new server goes on to the merge. READYGATE_SOAK=1
 * tries more points.
 */
import { expect, test } from 'vitest';
import type { Answer, Host } from '../server/host.ts';
import { placeOf } from '../session/world.ts';
import { afterDeath, expectAllWell, isDeath, type LogLine, Project } from './project.ts';

const SOAK = process.env.READYGATE_SOAK === '1';
const POINTS = SOAK ? 200 : 16;
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

/** The numbers of the points that are tried: spread over the session, with READYGATE_SOAK=1 also every crucial one. */
function chosen(all: readonly LogLine[]): number[] {
  const spread = Array.from({ length: POINTS }, (_, index) => 1 + Math.floor(((index + 0.5) * all.length) / POINTS));
  const crucial = SOAK ? all.filter((line) => CRUCIAL.test(line.what ?? '')).map((line) => line.point ?? 0) : [];
  return [...new Set([...spread, ...crucial])].sort((a, b) => a - b);
}

test('a server killed anywhere in a session leaves one that a new server brings to the merge', { timeout: 3 * 3_600_000 }, async () => {
  const whole = new Project();
  const unharmed = await goThrough(whole, 0);
  const all = whole.points();
  await nextSession(whole);
  expectAllWell(whole, unharmed.answer);
  const tried: string[] = [];
  const failures: string[] = [];
  const numbers = chosen(all);
  for (const at of numbers) {
    const project = new Project();
    const what = `point ${at}: ${all[at - 1]?.what}`;
    try {
      const { answer, died } = await goThrough(project, at);
      if (died) tried.push(what);
      await nextSession(project);
      expectAllWell(project, answer);
    } catch (error) {
      failures.push(`${what}\n${(error as Error).message}`);
      console.log(failures.at(-1));
    }
    await project.close();
  }
  console.log(`server killed at ${tried.length} of ${all.length} points of a session, ${tried.length - failures.length} survived`);
  expect(failures.join('\n\n')).toBe('');
  expect(tried.length).toBeGreaterThan(numbers.length * 0.9);
});
