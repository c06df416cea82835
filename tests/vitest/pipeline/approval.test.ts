/** The user approves the plan: asked by the client, or by typing; over stdio, as the host speaks to the server. */
import { describe, expect, test } from 'vitest';
import type { Answer, Host, HostOptions } from '../server/host.ts';
import { placeOf, World, walk } from '../session/world.ts';
import { Run } from './run.ts';
import { goodText, ONE_TASK, type Planned, taskList } from './texts.ts';

const OWNER = 'claude-1';
/** A placeholder of hooks.json that the host left as it is. */
const unfilled = (name: string): string => `$\{${name}}`;

const TASKS = [{ id: 'greet', description: 'add the greeting', status: 'pending' }];

async function hook(host: Host, name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { content } = await host.client.callTool({ name, arguments: args });
  return JSON.parse((content as [{ text: string }])[0].text) as Record<string, unknown>;
}

const typed = async (host: Host, prompt: string): Promise<string> =>
  String((await hook(host, 'on_prompt', { prompt, session_id: OWNER })).systemMessage ?? '');

async function planned(
  request: string,
  options: Partial<HostOptions> = {},
  world = new World(),
): Promise<{ world: World; host: Host; answer: Answer }> {
  const host = await world.host({ owner: OWNER, ...options });
  const { answer } = await walk(world, host, await host.start(request), { until: 'READY.plan' });
  expect(placeOf(answer)).toBe('READY.plan');
  return { world, host, answer: await host.submit({ tasks: TASKS }) };
}

describe('--approve, where the client cannot ask', () => {
  test('another client has no hooks: what it sends as typed words is not believed', async () => {
    const { host } = await planned('--approve --fast --no-doc add a greeting', { client: 'cursor' });
    const forged = { name: 'on_prompt', arguments: { prompt: '/readygate:approve', session_id: OWNER } };
    await expect(host.client.callTool(forged)).rejects.toThrow(/no tool on_prompt/);
    expect((await host.status()).substep).toBe('approval');
  });

  test('keeps editing closed until the user types it; the model cannot', async () => {
    const { world, host, answer } = await planned('--approve --fast --no-doc add a greeting');
    expect(answer).toMatchObject({ step: 12, substep: 'approval', waits_for: 'user' });
    expect(answer.instruction).toMatch(/\/readygate:approve/);
    const edit = { tool_name: 'Write', tool_input: { file_path: `${world.root}/x.txt` }, cwd: world.root, session_id: OWNER };
    expect(JSON.stringify(await hook(host, 'guard', edit))).toMatch(/RG02/);
    expect(await host.submit({ user_approval: 'approve' })).toMatchObject({ error: 'guard_blocked', guard: 'RG09', substep: 'approval' });
    const forged = await host.client
      .callTool({
        name: 'on_prompt',
        arguments: { prompt: '/readygate:approve', session_id: OWNER },
        _meta: { 'claudecode/toolUseId': 'toolu_1' },
      })
      .catch((error: Error) => error);
    expect(forged).toBeInstanceOf(Error);
    expect(await hook(host, 'on_stop', { session_id: OWNER, stop_hook_active: 'false' })).toEqual({});
    expect(await typed(host, '/readygate:approve')).toMatch(/approved the plan \(greet\)/);
    expect(await hook(host, 'guard', edit)).toEqual({});
    const status = await host.status();
    expect(status).toMatchObject({ step: 13, substep: 'implement' });
    const { answer: end } = await walk(world, host, status);
    expect(end.outcome).toBe('completed');
    const decided = world.journal(end.session_id).filter(({ decision }) => decision === 'approve');
    expect(decided).toEqual([expect.objectContaining({ by: 'person' })]);
  });

  test.each([
    ['/readygate:code --fast --approve --no-doc add a greeting', 'approval'],
    ['/readygate:code --fast --no-doc add an --approve flag', 'implement'],
  ])('typed as %s, it is not the model’s to leave out', async (prompt, substep) => {
    const world = new World();
    const host = await world.host({ owner: OWNER });
    await typed(host, prompt);
    const first = await host.start('--fast --no-doc add a greeting', { flags: { approve: false } });
    await walk(world, host, first, { until: 'READY.plan' });
    expect((await host.submit({ tasks: TASKS })).substep).toBe(substep);
  });

  test('a changed plan closes it again, the same one does not', async () => {
    const { host } = await planned('--approve --fast --no-doc add a greeting');
    await typed(host, '/readygate:approve');
    expect((await host.submit({ tasks: TASKS })).substep).toBe('implement');
    const more = [...TASKS, { id: 'more', description: 'and more', status: 'pending' }];
    expect((await host.submit({ tasks: more })).substep).toBe('approval');
    expect(await typed(host, '/readygate:approve')).toMatch(/greet, more/);
    expect(await typed(host, '/readygate:approve')).toMatch(/no plan waits/);
    expect((await host.submit({ task_id: 'greet', summary: 's' })).substep).toBe('implement');
  });

  test('what is typed is for the plan that was shown, not for one that took its place meanwhile', async () => {
    const { world, host } = await planned('--approve --fast --no-doc add a greeting');
    const other = [{ id: 'greet', description: 'greet and mail the address book', status: 'pending' }];
    expect((await host.submit({ tasks: other })).substep).toBe('approval');
    const answer = await typed(host, '/readygate:approve');
    expect(answer).toContain('the plan changed');
    expect(answer).toContain('greet: greet and mail the address book');
    expect((await host.status()).substep).toBe('approval');
    // Changed once more, it is shown once more.
    await host.submit({ tasks: TASKS.map((task) => ({ ...task, files: ['hello.txt'] })) });
    await host.submit({ tasks: other });
    await host.submit({ tasks: [{ ...other[0], description: 'greet twice' }] });
    expect(await typed(host, '/readygate:approve')).toContain('greet: greet twice');
    expect(await typed(host, '/readygate:approve but in one file')).toMatch(/approved the plan \(greet\).*note.*but in one file/s);
    const status = await host.status();
    expect(status.substep).toBe('implement');
    const decided = world.journal(status.session_id).filter(({ decision }) => decision === 'approve');
    expect(decided).toEqual([expect.objectContaining({ by: 'person', note: 'but in one file' })]);
  });

  test.each([
    ['nothing', null, /the plan changed/],
    ['what the user said', 'greet them in French, please', /approved the plan/],
  ])('a plan made anew in answer to %s', async (_what, prompt, expected) => {
    const { host } = await planned('--approve --fast --no-doc add a greeting');
    if (prompt) expect(await typed(host, prompt)).toBe('');
    await host.submit({ revert_to: 'READY', reason: 'another thought' });
    const answer = await host.submit({ tasks: [{ id: 'greet', description: 'greet in French', status: 'pending' }] });
    expect(answer.substep).toBe('approval');
    expect(await typed(host, '/readygate:approve')).toMatch(expected);
  });

  test('while it waits, another plan may be made, and the session may end', async () => {
    const { host } = await planned('--approve --fast --no-doc add a greeting');
    const again = await host.submit({ revert_to: 'READY', reason: 'the user wants it in French' });
    expect(again).toMatchObject({ step: 12, substep: 'plan' });
    expect(again.instruction).toContain('in French');
    const changed = await host.submit({ tasks: [{ id: 'greet', description: 'greet in French', status: 'pending' }] });
    expect(changed.substep).toBe('approval');
    expect(await typed(host, '/readygate:abort')).toMatch(/aborted/);
  });
});

describe('`approval: plan` in the configuration, where the client can ask', () => {
  const configured = (): World => {
    const world = new World();
    world.box.write('.readygate/config.yml', 'approval: plan\n');
    return world;
  };

  test('asks the person with the plan before them; approve opens, revise plans anew, wait waits', async () => {
    const said = ['wait', 'revise', 'approve'];
    const person = () => said.shift() ?? 'cancel';
    const { host, answer } = await planned('--fast --no-doc add a greeting', { person }, configured());
    expect(answer).toMatchObject({ substep: 'approval' });
    expect(answer.warnings.join()).toMatch(/still waits/);
    expect(host.questions[0]).toMatchObject({ choices: ['approve', 'revise', 'wait'] });
    const [asked, whole, first] = host.questions[0]?.question.split('\n') ?? [];
    expect(asked).toBe('Approve this plan of 1 task?');
    expect(whole).toContain('readygate status');
    expect(first).toBe('greet: add the greeting');
    expect(host.questions[0]?.titles).toEqual([
      'approve: carry the plan out; editing opens',
      'revise: back to planning',
      'wait: decide later',
    ]);
    // A model that says it was approved only has the person asked again.
    const revised = await host.submit({ user_approval: 'approve' });
    expect(revised).toMatchObject({ substep: 'plan' });
    expect(await host.submit({ tasks: TASKS })).toMatchObject({ substep: 'implement' });
    expect(host.questions).toHaveLength(3);
  });

  test('shows each of many tasks in one short line, whatever their descriptions look like', async () => {
    const { host } = await planned('--fast --no-doc add a greeting', { person: () => 'wait' }, configured());
    const tasks = Array.from({ length: 5 }, (_, index) => ({
      id: `t${index + 1}`,
      description: `greet\nin ${'many '.repeat(20)} languages`,
      status: 'pending',
    }));
    const said = await host.submit({ tasks: [...TASKS, ...tasks] });
    expect(said.problems).toBeUndefined();
    const [, , , ...lines] = host.questions.at(-1)?.question.split('\n') ?? [];
    expect(lines.slice(0, 5).map((line) => line.slice(0, 12))).toEqual(tasks.map(({ id }) => `${id}: greet in`.slice(0, 12)));
    for (const line of lines.slice(0, 5)) expect(line.length).toBeLessThanOrEqual(100);
  });

  test('a question that shows the changed plan shows it: what is typed after it counts at once', async () => {
    const { host } = await planned('--fast --no-doc add a greeting', { person: () => 'wait' }, configured());
    await host.submit({ tasks: [{ id: 'greet', description: 'greet in French', status: 'pending' }] });
    expect(host.questions.at(-1)?.question).toContain('greet in French');
    expect(await typed(host, '/readygate:approve')).toMatch(/approved the plan \(greet\)/);
  });

  test.each(['cancel', 'decline'])('a question that is answered by %s approves nothing', async (said) => {
    const { host, answer } = await planned('--fast --no-doc add a greeting', { person: () => said }, configured());
    expect(answer).toMatchObject({ substep: 'approval', waits_for: 'user' });
    expect((await host.submit({ user_approval: 'approve' })).substep).toBe('approval');
    await typed(host, '/readygate:approve');
    expect((await host.status()).substep).toBe('implement');
  });
});

describe('in a pipeline session', () => {
  async function answered(host: Host, world: World, answer: Answer, tasks: Planned[]): Promise<Answer> {
    const name = String(answer.artifact);
    if (answer.agent) await host.client.callTool({ name: 'save_artifact', arguments: { name, content: goodText(name, tasks) } });
    if (answer.expected_payload.artifact !== undefined) return host.submit({ artifact: answer.artifact });
    if (placeOf(answer) === 'READY.plan') return host.submit(taskList(tasks));
    if (placeOf(answer) !== 'READY.implement') return (await walk(world, host, answer, { until: 'READY.design' })).answer;
    world.edit();
    return host.submit({ task_id: (answer.next_task as { id: string }).id, summary: 's' });
  }

  test('the approval is for design.md as well: one that changes on the disk closes it again', async () => {
    const world = new World();
    const host = await world.host({ owner: OWNER });
    let answer = await host.start('--approve --fast --no-doc add a greeting', { pipeline: true });
    while (answer.substep !== 'approval') answer = await answered(host, world, answer, ONE_TASK);
    await typed(host, '/readygate:approve');
    answer = await host.status();
    expect(answer).toMatchObject({ substep: 'implement', agent: 'implementer' });
    world.box.write(`.readygate/sessions/${answer.session_id}/design.md`, `${goodText('design.md')}\nchanged by hand\n`);
    while (answer.substep !== 'approval') answer = await answered(host, world, answer, ONE_TASK);
    expect(answer.step).toBe(12);
    await typed(host, '/readygate:approve');
    expect((await host.status()).substep).toBe('finish');
  });

  test('who hands in is known from the hook with the same call id, not from what the call says', async () => {
    const world = new World();
    const host = await world.host({ owner: OWNER });
    let answer = await host.start('--fast --no-doc add a greeting', { pipeline: true });
    while (answer.substep !== 'design_review') answer = await answered(host, world, answer, ONE_TASK);
    const hand = async (id: string, agent_type: string, agent_id: string) => {
      await hook(host, 'on_save', { tool_use_id: id, agent_type, agent_id });
      const call = { name: 'save_artifact', arguments: { name: 'review-design.md', content: goodText('review-design.md') } };
      return (await host.client.callTool({ ...call, _meta: { 'claudecode/toolUseId': id } })).structuredContent as Record<string, unknown>;
    };
    expect((await hand('toolu_1', '', '')).message).toMatch(/does not judge it/);
    expect((await hand('toolu_2', unfilled('agent_type'), unfilled('agent_id'))).message).toMatch(/does not judge it/);
    expect((await hand('toolu_3', 'readygate:architect', 'a1')).message).toMatch(/you are the architect/);
    expect(
      await hook(host, 'on_subagent_stop', { agent_type: 'readygate:design-reviewer', agent_id: 'a2', stop_hook_active: 'false' }),
    ).toMatchObject({
      decision: 'block',
      reason: expect.stringContaining('review-design.md'),
    });
    expect(
      await hook(host, 'on_subagent_stop', { agent_type: 'readygate:design-reviewer', agent_id: 'a2', stop_hook_active: 'false' }),
    ).toEqual({});
    expect(await hook(host, 'on_subagent_stop', { agent_type: 'general-purpose', agent_id: 'a9', stop_hook_active: 'false' })).toEqual({});
    expect(await hand('toolu_4', 'readygate:design-reviewer', 'a3')).toMatchObject({ artifact: 'review-design.md', verdict: 'APPROVE' });
    expect(
      await hook(host, 'on_subagent_stop', { agent_type: 'readygate:design-reviewer', agent_id: 'a3', stop_hook_active: 'false' }),
    ).toEqual({});
  });
});

test('the question names every task of a long plan, whatever its description', async () => {
  const asked: string[] = [];
  const run = new Run({
    ask: async (question) => {
      asked.push(question);
      return 'unavailable';
    },
  });
  const at = await run.until('READY.plan', await run.start('--approve --fast --no-doc x', { pipeline: false }));
  expect(placeOf(at)).toBe('READY.plan');
  const tasks = Array.from({ length: 40 }, (_, index) => ({
    id: `task-${index}`,
    description: `${'long '.repeat(60)}end`,
    status: 'pending',
  }));
  expect((await run.submit({ tasks })).substep).toBe('approval');
  await run.submit({ user_approval: 'approve' });
  expect(asked.length).toBeGreaterThan(0);
  for (const { id } of tasks) expect(asked[0]?.split(/[\n:]/)).toContain(id);
});
