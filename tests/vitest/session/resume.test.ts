import { describe, expect, test } from 'vitest';
import type { Answer, Host } from '../server/host.ts';
import { placeOf, sessionAt, World, walk } from './world.ts';

/** What a new server must say as the old one did. */
const essence = ({ session_id, phase, step, substep, instruction, expected_payload, call, progress, next_task, escalation }: Answer) => ({
  session_id,
  phase,
  step,
  substep,
  instruction,
  expected_payload,
  call,
  progress,
  next_task,
  escalation,
});

const failed = { passed: false, details: 'still red' };
const again = (answer: Answer) => ({
  tasks: [{ id: `try${(answer.progress as { total: number } | undefined)?.total ?? 0}`, description: 'try it', status: 'pending' }],
});

describe('a new server', () => {
  test('stands at every step of a session where the old one stood, with the same answer, and goes on', async () => {
    const world = new World();
    let host = await world.host();
    const replies = { POST_IMPL_VERIFY: [failed], QUALITY_REVIEW: [{ quality_score: 40, issues: ['no test'] }], 'READY.plan': again };
    const before = async (answer: Answer): Promise<Host> => {
      await host.close();
      host = await world.host();
      expect(essence(await host.status())).toEqual(essence(answer));
      return host;
    };
    const { trail, answer } = await walk(world, host, await host.start('add a greeting'), { replies, before });
    expect(answer.outcome).toBe('completed');
    expect(trail.filter((place) => place === 'READY.plan')).toHaveLength(3);
    expect(new Set(trail).size).toBe(17);
  }, 240_000);

  test('stands at an intervention and at an escalation, too', async () => {
    const world = new World();
    let host = await world.host();
    const tasks = [{ id: 'one', description: 'try', status: 'pending' }];
    const replies = { POST_IMPL_VERIFY: () => failed, 'READY.plan': () => ({ tasks }) };
    const before = async (answer: Answer): Promise<Host | undefined> => {
      if (!placeOf(answer).startsWith('VERIFY_INTERVENTION')) return undefined;
      await host.close();
      host = await world.host();
      expect(essence(await host.status())).toEqual(essence(answer));
      return host;
    };
    const { trail } = await walk(world, host, await host.start('--fast --no-doc add a greeting'), { replies, before });
    expect(trail.filter((place) => place === 'VERIFY_INTERVENTION')).toHaveLength(2);
    expect(trail.at(-1)).toBe('VERIFY_INTERVENTION.escalation');
  });

  test('submits without asking for the status first', async () => {
    const world = new World();
    const first = await world.host();
    await sessionAt(world, first, 'EXPLORATION', '--no-doc add a greeting');
    await first.close();
    const second = await world.host();
    expect((await second.submit({ explored_files: ['readme.md'], findings: ['x'] })).phase).toBe('Q1');
  });
});

describe('get_session_status', () => {
  test('adds everything decided so far to the present answer', async () => {
    const world = new World();
    const host = await world.host();
    const ready = await sessionAt(world, host, 'READY.implement', '--no-doc add a greeting');
    const status = await host.status();
    expect(status).toMatchObject({
      phase: ready.phase,
      instruction: ready.instruction,
      expected_payload: ready.expected_payload,
      next_task: ready.next_task,
      completed_steps: [1, 4, 5, 6, 7, 8, 9, 10, 11, 12],
      skipped_steps: [2, 3],
      assessments: {
        q1: { answer: true, reason: 'earlier greetings may exist' },
        q2: { answer: true, reason: 'not run yet' },
        q3: { answer: true, reason: 'the readme names it' },
      },
      task_progress: { completed: 0, total: 1, tasks: [{ id: 'greet', status: 'pending', failure_count: 0 }] },
      counters: { intervention_count: 0, quality_revert_count: 0, verify_failures: 0 },
      branch: `readygate/${ready.session_id}`,
      base: 'main',
      artifacts: ['pre_planning.json'],
    });
  });

  test('keeps the warnings that the start gave', async () => {
    const world = new World();
    const host = await world.host();
    const started = await host.start('--gate=high --fast add a greeting');
    expect(started.warnings.join()).toContain('--gate=high');
    const status = await host.status();
    expect(status.warnings).toEqual(expect.arrayContaining(started.warnings));
  });

  test('changes nothing on disk', async () => {
    const world = new World();
    const host = await world.host();
    await sessionAt(world, host, 'EXPLORATION', '--no-doc add a greeting');
    const before = world.bytes();
    await host.status();
    await host.status({ session_id: 'no-such-session' });
    expect(world.bytes()).toBe(before);
  });

  test('shows a completed session as it ended', async () => {
    const world = new World();
    const host = await world.host();
    const { answer } = await walk(world, host, await host.start('--only-verify'));
    for (const status of [await host.status(), await host.status({ session_id: answer.session_id })]) {
      expect(status).toMatchObject({
        phase: 'SESSION_COMPLETE',
        step: null,
        outcome: 'verified',
        completed_steps: [1, 15],
        call: 'start_session',
      });
      expect(status.instruction).toBe(answer.instruction);
    }
  });
});
