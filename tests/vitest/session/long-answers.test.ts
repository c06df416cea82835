import { describe, expect, test } from 'vitest';
import { placeOf, sessionAt, World, walk } from './world.ts';

const SHORT = '--fast --no-doc add a greeting';
const LONG = 'a long word '.repeat(1500);

/** Every answer of the other tests is under 2 KB; here are those that carry a list, a document or a task list. */
describe('an answer that carries much is cut, and says where the rest is', () => {
  test('a task list', async () => {
    const world = new World();
    const host = await world.host({ lenient: true });
    await sessionAt(world, host, 'READY.plan', SHORT);
    const tasks = Array.from({ length: 200 }, (_, index) => ({ id: `t${index}`, description: `part ${index} of it`, status: 'pending' }));
    const accepted = await host.submit({ tasks });
    expect(JSON.stringify(accepted).length).toBeLessThan(2048);
    expect(accepted).toMatchObject({ progress: { completed: 0, total: 200 }, next_task: { id: 't0' }, all_complete: false });
    const back = await host.submit({ revert_to: 'EXPLORATION', reason: 'x' });
    expect(back.error).toBe('payload_mismatch');
    let answer = await host.status();
    for (const { id } of tasks) answer = await host.submit({ task_id: id, summary: 'done' });
    expect(placeOf(answer)).toBe('READY.finish');
    await host.submit({});
    const replan = await host.submit({ passed: false, details: LONG });
    expect(placeOf(replan)).toBe('READY.plan');
    expect(replan.instruction).toContain(world.path('state.json'));
    expect(replan.instruction.length).toBeLessThan(10_000);
  });

  test('a list of changed files', async () => {
    const edits = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`folder/file ${String(index).padStart(3, '0')}.txt`, 'x']));
    const world = new World(undefined, edits);
    const host = await world.host({ lenient: true });
    const answer = await sessionAt(world, host, 'PRE_COMMIT', `--no-verify ${SHORT}`);
    expect(answer.instruction).toContain('and 90 more');
    expect(answer.instruction.length).toBeLessThan(6000);
    const { answer: over } = await walk(world, host, answer);
    expect(over.outcome).toBe('completed');
  });

  test("the user's prompts", async () => {
    const world = new World();
    world.box.write('.readygate/doc_research/all.md', LONG);
    world.box.write('.readygate/task_planning.md', LONG);
    const host = await world.host({ lenient: true });
    const research = await host.start('--fast add a greeting');
    expect(research.instruction).toContain('.readygate/doc_research/all.md');
    expect(research.instruction.length).toBeLessThan(2500);
    const plan = (await walk(world, host, research, { until: 'READY.plan' })).answer;
    expect(plan.instruction).toContain('.readygate/task_planning.md');
    expect(plan.instruction.length).toBeLessThan(2500);
  });

  test('a request', async () => {
    const world = new World();
    const host = await world.host({ lenient: true });
    const answer = await host.start(`--no-doc ${LONG}`);
    expect(answer.phase).toBe('QUERY_FRAME');
    expect(answer.instruction.length).toBeLessThan(2048);
  });

  test('many problems', async () => {
    const world = new World();
    const host = await world.host({ lenient: true });
    await sessionAt(world, host, 'EXPLORATION', '--no-doc add a greeting');
    const answer = await host.submit({ explored_files: Array.from({ length: 1900 }, () => 7), findings: ['x'] });
    expect(answer.error).toBe('payload_mismatch');
    expect(answer.problems?.length).toBeLessThanOrEqual(50);
  });
});
