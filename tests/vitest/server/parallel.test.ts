import { describe, expect, test } from 'vitest';
import { type Payload, sessionAt, usualReply, World } from '../session/world.ts';
import type { Answer, Host } from './host.ts';

/** A list of tasks that depend on nothing, so that each report is the only right one at its moment. */
const tasks = (count: number): Payload => ({
  tasks: Array.from({ length: count }, (_, index) => ({ id: `t${index}`, description: `part ${index}`, status: 'pending' })),
});

const report = (index: number): Payload => ({ task_id: `t${index}`, summary: `did ${index}` });

/** Sends all reports from all hosts, again and again, until every task was taken once. */
async function reportAll(hosts: Host[], count: number): Promise<Answer[]> {
  const accepted: Answer[] = [];
  for (let round = 0; accepted.length < count && round <= count; round++) {
    const answers = await Promise.all(hosts.flatMap((host) => Array.from({ length: count }, (_, index) => host.submit(report(index)))));
    accepted.push(...answers.filter((answer) => answer.error === undefined && answer.replayed !== true));
  }
  return accepted;
}

describe('calls at the same time', () => {
  test.each([1, 2, 3])('every report is taken exactly once when %i servers send all of them at once', async (servers) => {
    const world = new World();
    const hosts = await Promise.all(Array.from({ length: servers }, () => world.host()));
    const [first] = hosts as [Host];
    await sessionAt(world, first, 'READY.plan', '--fast --no-doc add a greeting');
    // The seventh is never reported, so that the session stays at this step.
    expect((await first.submit(tasks(7))).phase).toBe('READY');
    const { session, rev } = world.state();
    const accepted = await reportAll(hosts, 6);
    expect(accepted).toHaveLength(6);
    expect(world.state()).toMatchObject({ session, rev: rev + 6, node: 'READY_IMPLEMENT' });
    const lines = world.journal(session).filter((line) => line.kind === 'report');
    expect(lines).toHaveLength(6);
    expect(new Set(lines.map((line) => line.rev)).size).toBe(6);
  });

  test('the same payload sent many times at once makes one transition and is told to be a repetition otherwise', async () => {
    const world = new World();
    const hosts = await Promise.all([world.host(), world.host()]);
    const [first] = hosts as [Host, Host];
    const at = await sessionAt(world, first, 'EXPLORATION', '--no-doc add a greeting');
    const { rev } = world.state();
    const data = usualReply(world, at);
    const answers = await Promise.all(hosts.flatMap((host) => [1, 2, 3, 4].map(() => host.submit(data))));
    expect(answers.filter((answer) => answer.error)).toEqual([]);
    expect(answers.filter((answer) => answer.replayed === true)).toHaveLength(7);
    expect(new Set(answers.map((answer) => answer.phase))).toEqual(new Set(['Q1']));
    expect(world.state().rev).toBe(rev + 1);
  });

  test('status asked between submissions always shows one whole step', async () => {
    const world = new World();
    const hosts = await Promise.all([world.host(), world.host()]);
    const [first, second] = hosts as [Host, Host];
    let answer = await first.start('--no-doc add a greeting');
    while (answer.phase !== 'READY') {
      const asked = [second.status(), second.status(), first.status()];
      const sent = first.submit(usualReply(world, answer));
      const pairs = (await Promise.all(asked)).map((status) => `${status.phase} ${status.step} ${JSON.stringify(status.expected_payload)}`);
      const before = `${answer.phase} ${answer.step} ${JSON.stringify(answer.expected_payload)}`;
      answer = await sent;
      const after = `${answer.phase} ${answer.step} ${JSON.stringify(answer.expected_payload)}`;
      for (const pair of pairs) expect([before, after]).toContain(pair);
    }
  });

  test('two starts from two processes give one session', async () => {
    const world = new World();
    const hosts = await Promise.all([world.host(), world.host(), world.host()]);
    const answers = await Promise.all(hosts.flatMap((host) => [host.start('add a greeting'), host.start('add another')]));
    const started = answers.filter((answer) => answer.error === undefined);
    expect(started).toHaveLength(1);
    for (const answer of answers.filter((other) => other !== started[0])) {
      expect(answer).toMatchObject({ error: 'session_active', session_id: started[0]?.session_id, phase: 'DOCUMENT_RESEARCH' });
    }
    expect(world.sessions()).toEqual([started[0]?.session_id]);
  });
});
