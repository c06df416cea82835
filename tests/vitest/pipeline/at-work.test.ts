/** Agents in the background: the turn that started one may end, and nobody asks for a second one. Over stdio, as the host speaks. */
import { expect, test } from 'vitest';
import type { Host } from '../server/host.ts';
import { World } from '../session/world.ts';

const OWNER = 'claude-1';

async function hook(host: Host, name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { content } = await host.client.callTool({ name, arguments: args });
  return JSON.parse((content as [{ text: string }])[0].text) as Record<string, unknown>;
}

const stop = (host: Host) => hook(host, 'on_stop', { session_id: OWNER, stop_hook_active: 'false' });
const began = (host: Host, agent_id: string, agent_type: string) => hook(host, 'on_subagent_start', { agent_id, agent_type });
const ended = (host: Host, agent_id: string, agent_type: string) =>
  hook(host, 'on_subagent_stop', { agent_id, agent_type, stop_hook_active: 'false' });

test('while the agent that is due works, the turn may end and a submission says to wait; afterwards the turn goes on again', async () => {
  const host = await new World().host({ owner: OWNER });
  const started = await host.start('add a greeting', { pipeline: true });
  const { agent, artifact } = started;
  expect([agent, artifact]).toEqual(['document-researcher', 'documents.md']);
  await began(host, 'a0', 'general-purpose');
  await began(host, 'a1', 'readygate:document-researcher');
  expect(await stop(host)).toEqual({});
  const early = await host.submit({ documents_reviewed: ['readme.md'] });
  expect(early).toMatchObject({ error: 'guard_blocked', guard: 'RG11' });
  expect(early.problems?.[0]?.message).toMatch(/documents\.md is not handed in yet: .*document-researcher is at work/);
  // It ends without its artifact, is told once, and then has ended.
  expect(await ended(host, 'a1', 'readygate:document-researcher')).toMatchObject({ decision: 'block' });
  expect(await stop(host)).toEqual({});
  expect(await ended(host, 'a1', 'readygate:document-researcher')).toEqual({});
  expect((await host.submit({ documents_reviewed: ['readme.md'] })).problems?.[0]?.message).toMatch(/start the agent/);
  expect(await stop(host)).toMatchObject({ decision: 'block' });
});

test('an agent of another role is not waited for', async () => {
  const host = await new World().host({ owner: OWNER });
  await host.start('add a greeting', { pipeline: true });
  await began(host, 'a1', 'readygate:architect');
  expect(await stop(host)).toMatchObject({ decision: 'block' });
});
