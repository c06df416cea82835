/** Every way out that a refusal prints is taken here, and works. The texts stand in state/guards.json. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { catalog } from '../../../mcp-server/src/guards/catalog.ts';
import type { Host } from '../server/host.ts';
import { THOROUGH } from '../soak.ts';
import { sessionAt, usualReply, World, walk } from './world.ts';

const OWNER = 'claude-1';

async function hook(host: Host, name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { content } = await host.client.callTool({ name, arguments: args });
  return JSON.parse((content as [{ text: string }])[0].text) as Record<string, unknown>;
}

const typed = (host: Host, prompt: string) => hook(host, 'on_prompt', { prompt, session_id: OWNER });

/** The guard that refuses this call now, or null. */
async function refusal(world: World, host: Host, tool_name: string, tool_input: Record<string, unknown>): Promise<string | null> {
  const answer = await hook(host, 'guard', { tool_name, tool_input, cwd: world.root, session_id: OWNER });
  const verdict = answer.hookSpecificOutput as { permissionDecision?: string; permissionDecisionReason?: string } | undefined;
  return verdict?.permissionDecision === 'deny' ? (/RG\d\d/.exec(verdict.permissionDecisionReason ?? '')?.[0] ?? '') : null;
}

async function at(place: string, request = 'add a greeting'): Promise<{ world: World; host: Host }> {
  const world = new World();
  const host = await world.host({ owner: OWNER });
  await sessionAt(world, host, place, request);
  return { world, host };
}

const CALLS: Record<string, [place: string, tool: string, input: (world: World) => Record<string, unknown>]> = {
  RG01: ['EXPLORATION', 'Edit', ({ root }) => ({ file_path: `${root}/readme.md` })],
  RG02: ['READY.plan', 'Write', ({ root }) => ({ file_path: `${root}/new.md` })],
  RG03: ['POST_IMPL_VERIFY', 'Edit', ({ root }) => ({ file_path: `${root}/readme.md` })],
  RG04: ['EXPLORATION', 'Bash', () => ({ command: 'echo x >> readme.md' })],
  RG05: ['EXPLORATION', 'mcp__files__write_file', ({ root }) => ({ path: `${root}/readme.md`, content: 'x' })],
};

describe('the remedies of refusals before READY and after step 14', () => {
  test.each(Object.keys(CALLS))('%s: the override lifts it for the phase', async (id) => {
    const [place, tool, input] = CALLS[id] ?? ['', '', () => ({})];
    const { world, host } = await at(place);
    expect(await refusal(world, host, tool, input(world))).toBe(id);
    await typed(host, '/readygate:override it is urgent');
    expect(await refusal(world, host, tool, input(world))).toBeNull();
  });

  test.each(Object.keys(CALLS))(
    '%s: get_session_status shows a payload that the phase takes, and so the session goes on to its merge',
    async (id) => {
      const [place, tool, input] = CALLS[id] ?? ['', '', () => ({})];
      const { world, host } = await at(place);
      expect(await refusal(world, host, tool, input(world))).toBe(id);
      const status = await host.status();
      expect(Object.keys(status.expected_payload).length).toBeGreaterThan(0);
      const next = await host.submit(usualReply(world, status));
      expect(next.error).toBeUndefined();
      // The rest of the way is the same for all.
      if (!THOROUGH && id !== 'RG01') return;
      expect((await walk(world, host, next)).answer.outcome).toBe('completed');
    },
  );

  test('RG02: the accepted task list opens editing', async () => {
    const { world, host } = await at('READY.plan');
    await host.submit(usualReply(world, await host.status()));
    expect(await refusal(world, host, 'Write', { file_path: `${world.root}/new.md` })).toBeNull();
  });

  test('RG04: reading, testing and writing elsewhere are free', async () => {
    const { world, host } = await at('EXPLORATION');
    for (const command of ['git status', 'npm test', 'grep -rn x .', 'echo x > /tmp/scratch.txt'])
      expect(await refusal(world, host, 'Bash', { command }), command).toBeNull();
  });
});

describe('the remedies of refusals in any phase', () => {
  test('RG06: after /readygate:abort the user may change it by hand, and nothing is refused', async () => {
    const { world, host } = await at('READY.implement');
    const config = { file_path: world.path('config.yml') };
    expect(await refusal(world, host, 'Write', config)).toBe('RG06');
    await typed(host, '/readygate:abort');
    expect(await refusal(world, host, 'Write', config)).toBeNull();
  });

  test('RG07: what it names as free is free at an open gate, and abort ends it', async () => {
    const { world, host } = await at('READY.implement');
    expect(await refusal(world, host, 'Bash', { command: 'git commit -m x' })).toBe('RG07');
    for (const command of ['git status', 'git log -3', 'git diff', 'git show HEAD', 'git add readme.md', 'git restore readme.md'])
      expect(await refusal(world, host, 'Bash', { command }), command).toBeNull();
    await typed(host, '/readygate:abort');
    expect(await refusal(world, host, 'Bash', { command: 'git commit -m x' })).toBeNull();
  });

  test('RG20: /readygate:abort lets the turn end', async () => {
    const { host } = await at('EXPLORATION');
    await typed(host, '/readygate:abort');
    expect(await hook(host, 'on_stop', { session_id: OWNER, stop_hook_active: 'false' })).toEqual({});
  });
});

describe('the remedies of RG00, outside any session', () => {
  const enforced = async (): Promise<{ world: World; host: Host; edit: Record<string, unknown> }> => {
    const world = new World();
    mkdirSync(world.path());
    writeFileSync(world.path('enforce'), '');
    const host = await world.host({ owner: OWNER });
    const edit = { file_path: `${world.root}/readme.md` };
    expect(await refusal(world, host, 'Edit', edit)).toBe('RG00');
    return { world, host, edit };
  };

  test('an override lifts it', async () => {
    const { world, host, edit } = await enforced();
    await typed(host, '/readygate:override a typo');
    expect(await refusal(world, host, 'Edit', edit)).toBeNull();
  });

  test('a session leads to editing', async () => {
    const { world, host, edit } = await enforced();
    await sessionAt(world, host, 'READY.implement');
    expect(await refusal(world, host, 'Edit', edit)).toBeNull();
  });
});

describe('the remedies of refused submissions', () => {
  test('RG09: what the user types counts', async () => {
    const world = new World();
    const host = await world.host({ owner: OWNER });
    await typed(host, '/readygate:code --fast add a greeting');
    await host.start('--fast add a greeting');
    expect(world.state()).toMatchObject({ flags: { fast: true } });
  });

  test.each(['undo', 'override'])('RG13: %s resolves what changed behind the gate', async (way) => {
    const { world, host } = await at('QUERY_FRAME', '--no-doc add a greeting');
    const payload = usualReply(world, await host.status());
    world.box.write('readme.md', 'changed by something unseen\n');
    expect(await host.submit(payload)).toMatchObject({ error: 'guard_blocked', guard: 'RG13' });
    if (way === 'undo') await host.submit({ resolve_changes: 'undo' });
    else await typed(host, '/readygate:override I did that');
    expect(await host.submit(payload)).toMatchObject({ phase: 'REQUEST_UNDERSTANDING' });
  });

  test('RG16: the files that the answer names make the review complete', async () => {
    const { world, host } = await at('PRE_COMMIT');
    const refused = await host.submit({ reviewed_files: [], commit_message: 'm' });
    expect(refused).toMatchObject({ error: 'guard_blocked', guard: 'RG16' });
    const named = /: (.*)$/.exec(refused.problems?.[0]?.message ?? '')?.[1]?.split(', ') ?? [];
    expect(await host.submit({ reviewed_files: named, commit_message: 'm' })).toMatchObject({ phase: 'QUALITY_REVIEW' });
    expect(world.changed()).toEqual([]);
  });
});

test('every /readygate: command that a message prints is a skill that the user can type', async () => {
  const texts = catalog.guards.flatMap(({ message, remedy }) => [message.en, remedy.en, message.ja, remedy.ja]);
  const commands = new Set(texts.flatMap((text) => [...text.matchAll(/\/readygate:([a-z]+)/g)].map((found) => found[1])));
  const { readdirSync } = await import('node:fs');
  expect(readdirSync('skills')).toEqual(expect.arrayContaining([...commands]));
});
