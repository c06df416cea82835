/** A pipeline session goes on at every phase from the disk alone, also where an agent had handed in and nobody had answered. */
import { expect, test } from 'vitest';
import type { Answer, Host } from '../server/host.ts';
import { placeOf, usualReply, World } from '../session/world.ts';
import { goodText, type Planned, taskList } from './texts.ts';

const TASKS: Planned[] = [{ id: 'T1', files: ['hello.txt'] }];

const essence = ({ phase, step, substep, expected_payload, next_task, folder }: Answer) => ({
  phase,
  step,
  substep,
  expected_payload,
  next_task,
  folder,
});

function reply(world: World, answer: Answer): unknown {
  if (answer.expected_payload.artifact !== undefined) return { artifact: answer.artifact };
  if (placeOf(answer) === 'READY.plan') return taskList(TASKS);
  return usualReply(world, answer);
}

test('a server that is killed in every phase, with its artifact handed in where it owes one, is followed by one that says the same', async () => {
  const world = new World();
  let host: Host = await world.host();
  const restart = async (): Promise<Host> => {
    process.kill(host.pid, 'SIGKILL');
    await host.close();
    host = await world.host();
    return host;
  };
  let answer = await host.start('add a greeting', { pipeline: true });
  const seen: string[] = [];
  while (answer.phase !== 'SESSION_COMPLETE') {
    seen.push(placeOf(answer));
    // Where an agent is due, what it hands in is followed by a kill below.
    const before = await (answer.agent ? host : await restart()).status();
    expect(essence(before)).toEqual(essence(answer));
    expect([before.agent, before.artifact, before.inputs]).toEqual([answer.agent, answer.artifact, answer.inputs]);
    if (answer.agent) {
      const name = String(answer.artifact);
      const saved = await host.client.callTool({ name: 'save_artifact', arguments: { name, content: goodText(name, TASKS) } });
      expect(saved.isError ?? false, name).toBe(false);
      const after = await (await restart()).status();
      expect(essence(after)).toEqual(essence(answer));
      expect([after.agent, after.artifact]).toEqual([null, name]);
    }
    answer = await host.submit(reply(world, answer));
    expect(answer.error, JSON.stringify(answer)).toBeUndefined();
  }
  expect(answer.outcome).toBe('completed');
  expect(new Set(seen).size).toBe(22);
}, 300_000);
