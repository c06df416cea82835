/** Guards RG12 and RG13 in a session with the real server: its hidden hook tool, the configured commands, files that change unseen. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Host } from '../server/host.ts';
import { placeOf, sessionAt, World, walk } from './world.ts';

const hook = (host: Host, fields: Record<string, string>) =>
  host.client.callTool({ name: 'on_tool', arguments: { event: 'PostToolUse', cwd: host.options.project, ...fields } });
const read = (host: Host, path: string) => hook(host, { tool_name: 'Read', file_path: join(host.options.project, path) });

function configured(world: World, text: string): void {
  mkdirSync(world.path(), { recursive: true });
  writeFileSync(world.path('config.yml'), text);
}

describe('claims', () => {
  test('are refused without a tool call that bears them out, and accepted with one', async () => {
    const world = new World();
    const host = await world.host();
    await sessionAt(world, host, 'EXPLORATION');
    await hook(host, { tool_name: 'Bash', command: 'true' });
    const before = world.bytes();
    const claim = { explored_files: ['readme.md'], findings: ['x'] };
    const refused = await host.submit(claim);
    expect(refused).toMatchObject({ error: 'payload_mismatch', guard: 'RG12', problems: [{ pointer: '/explored_files/0' }] });
    expect(world.bytes()).toBe(before);
    const blocks = world.journal(world.state().session).filter(({ event }) => event === 'block');
    expect(blocks).toMatchObject([{ guard: 'RG12', phase: 'EXPLORATION' }]);
    await read(host, 'readme.md');
    expect((await host.submit(claim)).phase).toBe('Q1');
  });

  test('of the model that it is a hook are not heard', async () => {
    const world = new World();
    const host = await world.host();
    await sessionAt(world, host, 'EXPLORATION');
    const forged = host.client.callTool({
      name: 'on_tool',
      arguments: { event: 'PostToolUse', tool_name: 'Read', file_path: world.path('x') },
      _meta: { 'claudecode/toolUseId': 'toolu_1' },
    });
    await expect(forged).rejects.toThrow(/no tool/);
  });

  test('that verification passed need a check after editing was opened; a reason instead is kept as a warning', async () => {
    const world = new World();
    const host = await world.host();
    await sessionAt(world, host, 'READY.plan');
    await hook(host, { tool_name: 'Bash', command: 'npm test' });
    await walk(world, host, await host.status(), { until: 'POST_IMPL_VERIFY' });
    const passed = { passed: true, details: 'all well' };
    expect(await host.submit(passed)).toMatchObject({ guard: 'RG12', problems: [{ pointer: '/passed' }] });
    const answer = await host.submit({ ...passed, no_check_reason: 'a text without tests' });
    expect(answer.phase).toBe('PRE_COMMIT');
    expect(answer.warnings.join()).toContain('a text without tests');
    expect((await host.status()).warnings.join()).toContain('a text without tests');
  });

  test('are only warned of where the configuration says so', async () => {
    const world = new World();
    configured(world, 'evidence: warn\n');
    const host = await world.host();
    await sessionAt(world, host, 'EXPLORATION');
    await hook(host, { tool_name: 'Bash', command: 'true' });
    const answer = await host.submit({ explored_files: ['readme.md'], findings: ['x'] });
    expect(answer.phase).toBe('Q1');
    expect(answer.warnings.join()).toContain('/explored_files/0');
  });
});

describe('verify.commands', () => {
  test('turn a false "passed" around, and the next honest one goes through', async () => {
    const world = new World();
    configured(world, 'verify:\n  commands:\n    - grep -q hello hello.txt\n    - command: test ! -e broken\n      timeout_seconds: 20\n');
    const host = await world.host();
    world.edits.broken = 'x\n';
    await sessionAt(world, host, 'POST_IMPL_VERIFY');
    const failed = await host.submit({ passed: true, details: 'all well' });
    expect(placeOf(failed)).toBe('READY.plan');
    expect(failed.warnings.join()).toContain('verify command failed');
    expect(failed.instruction).toContain('test ! -e broken: exit 1');
    const again = { tasks: [{ id: 'again', description: 'mend it', status: 'pending', fixes: ['greet'] }] };
    const mend = () => {
      rmSync(join(world.root, 'broken'));
      return { task_id: 'again', summary: 'mended' };
    };
    const { answer } = await walk(world, host, failed, {
      until: 'POST_IMPL_VERIFY',
      replies: { 'READY.plan': again, 'READY.implement': mend },
    });
    expect(placeOf(answer)).toBe('POST_IMPL_VERIFY');
    expect((await host.submit({ passed: true, details: 'all well' })).phase).toBe('PRE_COMMIT');
    expect(readFileSync(world.path('sessions', world.state().session, 'verify/4.log'), 'utf8')).toContain('[exit 0');
  });

  test('are not run for what does not fit, nor for an honest failure', async () => {
    const world = new World();
    configured(world, 'verify:\n  commands: ["touch ran"]\n');
    const host = await world.host();
    await sessionAt(world, host, 'POST_IMPL_VERIFY');
    await host.submit({ passed: true });
    await host.submit({ passed: false, details: 'it fails' });
    expect(world.box.has('ran')).toBe(false);
  });
});

describe('files that change while editing is closed', () => {
  const change = (world: World) => world.box.write('readme.md', 'changed unseen\n');

  test('stop the session, and are undone on demand with a copy kept', async () => {
    const world = new World();
    const host = await world.host();
    await sessionAt(world, host, 'READY.plan');
    change(world);
    world.box.write('sneaky.txt', 'x\n');
    const before = world.bytes();
    const blocked = await host.submit({ tasks: [{ id: 'a', description: 'b', status: 'pending' }] });
    expect(blocked).toMatchObject({ error: 'guard_blocked', guard: 'RG13' });
    expect(blocked.message).toContain('readme.md, sneaky.txt');
    expect(world.bytes()).toBe(before);
    const undone = await host.submit({ resolve_changes: 'undo' });
    expect([placeOf(undone), world.box.read('readme.md'), world.box.has('sneaky.txt')]).toEqual(['READY.plan', 'hello\n', false]);
    expect(undone.instruction).toContain('2 changes were undone');
    expect(readFileSync(world.path('sessions', world.state().session, 'undone/001/files/readme.md'), 'utf8')).toBe('changed unseen\n');
    const { answer } = await walk(world, host, undone);
    expect(answer.outcome).toBe('completed');
  });

  test.each(['accept', 'undo', 'wait', 'decline', 'cancel'])('are put to the person, who says %s', async (decision) => {
    const world = new World();
    const host = await world.host({ person: () => decision });
    await sessionAt(world, host, 'Q1');
    change(world);
    const answer = await host.submit({ needs_more_information: false, reason: 'all is known here' });
    expect(host.questions[0]).toMatchObject({ choices: ['accept', 'undo', 'wait'], question: expect.stringContaining('readme.md') });
    if (decision === 'accept') expect([answer.phase, world.box.read('readme.md')]).toEqual(['Q2', 'changed unseen\n']);
    else if (decision === 'undo') expect([answer.phase, world.box.read('readme.md')]).toEqual(['Q1', 'hello\n']);
    else expect([answer.guard, world.box.read('readme.md')]).toEqual(['RG13', 'changed unseen\n']);
    if (decision === 'accept') expect((await host.submit({ has_unverified_hypotheses: false, reason: 'none' })).phase).toBe('Q3');
  });

  test('are the session’s own work once the gate is open, and watched again on the way back', async () => {
    const world = new World();
    const host = await world.host();
    await sessionAt(world, host, 'READY.implement');
    change(world);
    const back = await host.submit({ revert_to: 'EXPLORATION', reason: 'too little is known' });
    expect(back.phase).toBe('EXPLORATION');
    expect((await host.submit({ explored_files: ['readme.md'], findings: ['x'] })).phase).toBe('Q1');
    world.box.write('readme.md', 'changed again\n');
    expect((await host.submit({ needs_more_information: false, reason: 'all is known here' })).guard).toBe('RG13');
  });

  test('are found without git, too', async () => {
    const world = new World();
    rmSync(join(world.root, '.git'), { recursive: true });
    const host = await world.host();
    await sessionAt(world, host, 'EXPLORATION', '--only-explore look around');
    world.box.write('sneaky.txt', 'x\n');
    expect((await host.submit({ explored_files: ['readme.md'], findings: ['x'] })).guard).toBe('RG13');
    expect((await host.submit({ resolve_changes: 'undo' })).phase).toBe('EXPLORATION');
    expect((await host.submit({ explored_files: ['readme.md'], findings: ['x'] })).phase).toBe('Q1');
  });
});
