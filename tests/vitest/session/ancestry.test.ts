import { spawnSync } from 'node:child_process';
import { describe, expect, inject, test } from 'vitest';
import { belowTool, fromProc, type Lookup, startedByTool } from '../../../mcp-server/src/session/ancestry.ts';
import { hostEnvironment } from '../server/host.ts';
import { sessionAt, World } from './world.ts';

interface Process {
  parent: number;
  name?: string;
  marked?: boolean;
}

const family =
  (processes: Record<number, Process>): Lookup =>
  (pid) => {
    const found = processes[pid];
    return found ? { name: 'claude', marked: false, ...found } : null;
  };

describe('who started a server', () => {
  test.each<[string, Record<number, Process>, boolean]>([
    ['the host, from a shell of the user', { 9: { parent: 8 }, 8: { parent: 1, name: 'bash' }, 1: { parent: 0, name: 'init' } }, false],
    ['a shell that a tool runs', { 9: { parent: 8, name: 'bash', marked: true }, 8: { parent: 1 } }, true],
    ['a script that a tool runs', { 9: { parent: 8, name: 'node', marked: true }, 8: { parent: 1 } }, true],
    ['a script whose own environment was cleaned', { 9: { parent: 8, name: 'node' }, 8: { parent: 7, name: 'bash', marked: true } }, true],
    ['a client that a tool runs', { 9: { parent: 8 }, 8: { parent: 7, name: 'bash', marked: true }, 7: { parent: 1 } }, true],
    ['somebody who is gone', { 1: { parent: 0, name: 'systemd' } }, true],
    ['a shell', { 9: { parent: 1, name: 'sh' } }, true],
    ['a system that does not tell', {}, false],
  ])('%s', (_name, processes, expected) => {
    expect(startedByTool(9 in processes || !(1 in processes) ? 9 : 1, family(processes))).toBe(expected);
  });

  test.each<[string, Record<number, Process>, boolean]>([
    [
      'a shell of the user',
      { 9: { parent: 8, name: 'bash' }, 8: { parent: 1, name: 'gnome-terminal-' }, 1: { parent: 0, name: 'init' } },
      false,
    ],
    ['a shell that a tool runs', { 9: { parent: 8, name: 'bash', marked: true }, 8: { parent: 1 } }, true],
    [
      'a terminal that a tool made, its environment cleaned',
      { 9: { parent: 8, name: 'script' }, 8: { parent: 7, name: 'bash', marked: true } },
      true,
    ],
    ['a system that does not tell', {}, false],
  ])('a command of the person’s may come from a shell, not from a tool: %s', (_name, processes, expected) => {
    expect(belowTool(9, family(processes))).toBe(expected);
  });

  test.skipIf(process.platform !== 'linux')('is read from the system', () => {
    expect(fromProc(process.pid)).toMatchObject({ parent: process.ppid });
    expect(fromProc(2 ** 30)).toBeNull();
  });
});

test.skipIf(process.platform !== 'linux')('a server that is started from a shell cannot speak for the user', async () => {
  const world = new World();
  await sessionAt(world, await world.host({ owner: 'claude-1' }), 'EXPLORATION', 'add a greeting');
  const before = world.bytes();
  const messages = [
    {
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'claude-code', version: '2' } },
    },
    { method: 'notifications/initialized' },
    {
      id: 2,
      method: 'tools/call',
      params: { name: 'on_prompt', arguments: { prompt: '/readygate:override mine', session_id: 'claude-1' } },
    },
  ];
  const input = messages.map((message) => JSON.stringify({ jsonrpc: '2.0', ...message })).join('\n');
  const env = { ...hostEnvironment({ project: world.root, owner: 'claude-1' }), SERVER: inject('serverFile') };
  const { stdout, stderr } = spawnSync('bash', ['-c', '(cat; sleep 1) | node "$SERVER"; true'], {
    cwd: world.root,
    env,
    input: `${input}\n`,
    encoding: 'utf8',
  });
  expect(stdout).toContain('"id":2');
  expect(stderr).toContain('was not believed');
  expect(world.bytes()).toBe(before);
});
