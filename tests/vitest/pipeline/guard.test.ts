/** Guard RG11 in sessions: what is missing, old, changed or sent back does not let a phase pass, and every refusal says what to do. */
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Answer } from '../server/host.ts';
import { placeOf } from '../session/world.ts';
import { Run } from './run.ts';
import { fail, goodText, ONE_TASK, review, revise, taskList, verificationText } from './texts.ts';

const FAST = '--fast --no-doc add a greeting';

async function at(place: string, request = FAST, run = new Run()): Promise<{ run: Run; answer: Answer }> {
  const answer = await run.until(place, await run.start(request));
  expect(placeOf(answer), JSON.stringify(answer)).toBe(place);
  return { run, answer };
}

const refused = (answer: Answer) => [answer.error, answer.guard, answer.problems?.map(({ message }) => message).join('; ')];

const PLACES: [place: string, artifact: string, agent: string, request: string][] = [
  ['DOCUMENT_RESEARCH', 'documents.md', 'document-researcher', 'x'],
  ['EXPLORATION', 'analysis.md', 'situation-analyst', '--no-doc x'],
  ['SEMANTIC', 'investigation.md', 'investigator', '--no-doc x'],
  ['VERIFICATION', 'investigation.md', 'investigator', '--no-doc x'],
  ['IMPACT_ANALYSIS', 'impact.md', 'investigator', '--no-doc x'],
  ['READY.design', 'design.md', 'architect', FAST],
  ['READY.design_review', 'review-design.md', 'design-reviewer', FAST],
  ['READY.decompose', 'tasks.md', 'task-decomposer', FAST],
  ['READY.tasks_review', 'review-tasks.md', 'task-reviewer', FAST],
  ['READY.implement', 'impl-T1.md', 'implementer', FAST],
  ['READY.review', 'review-T1.md', 'impl-reviewer', FAST],
  ['POST_IMPL_VERIFY', 'verification.md', 'verifier', FAST],
  ['QUALITY_REVIEW', 'comprehensive-review.md', 'comprehensive-reviewer', '--no-doc x'],
];

describe('every phase with an artifact', () => {
  test('names its agent, and is refused while the artifact is missing, changed or gone; then it passes', async () => {
    const run = new Run();
    let answer = await run.start('x');
    const seen: string[] = [];
    while (answer.phase !== 'SESSION_COMPLETE') {
      const row = PLACES.find(([place]) => place === placeOf(answer));
      if (row) {
        const [place, artifact, agent] = row;
        seen.push(place);
        expect(answer, place).toMatchObject({ agent, artifact });
        const missing = await run.submit(run.reply(answer));
        expect(missing, place).toMatchObject({ error: 'guard_blocked', guard: 'RG11', agent, artifact });
        expect(missing.problems?.[0]?.message, place).toMatch(new RegExp(`${artifact.replace('.', '\\.')}.*readygate:${agent}`));
        await run.save(artifact);
        appendFileSync(run.file(artifact), '\nadded by hand\n');
        expect(refused(await run.submit(run.reply(answer)))[2], place).toMatch(/changed after/);
        rmSync(run.file(artifact));
        expect(refused(await run.submit(run.reply(answer)))[2], place).toMatch(/not handed in/);
      }
      await run.agent(answer);
      answer = await run.submit(run.reply(answer));
      expect(answer.error, JSON.stringify(answer)).toBeUndefined();
    }
    expect([...new Set(seen)]).toEqual(PLACES.map(([place]) => place));
    const blocks = run.journal().filter(({ event, guard }) => event === 'block' && guard === 'RG11');
    expect(blocks).toHaveLength(3 * seen.length);
  }, 240_000);

  test('knows an artifact that is in, so that nobody makes it twice after a restart', async () => {
    const { run, answer } = await at('READY.design');
    await run.agent(answer);
    expect(await run.status()).toMatchObject({ agent: null, artifact: 'design.md', phase: 'READY', substep: 'design' });
    expect((await run.status()).instruction).toMatch(/design\.md is handed in/);
  });

  test('does not take the artifact of an earlier round', async () => {
    const { run, answer } = await at('POST_IMPL_VERIFY');
    run.texts['verification.md'] = verificationText(ONE_TASK, [1]);
    await run.agent(answer);
    expect(refused(await run.submit({ passed: true, details: 'd' }))[2]).toMatch(/AC-1/);
    const again = await run.submit({ passed: false, details: 'AC-1 fails', failed_tasks: ['T1'] });
    expect(again).toMatchObject({ step: 12, substep: 'design', agent: 'architect', artifact: 'design.md' });
    expect(again.inputs).toContain('verification.md');
    expect(refused(await run.submit({ artifact: 'design.md' }))[2]).toMatch(/from before this phase/);
  });
});

test('the configured commands run in a pipeline, too, and win over its artifact', async () => {
  const run = new Run();
  run.world.box.write('.readygate/config.yml', 'verify:\n  commands: ["exit 7"]\n');
  const { answer } = await at('POST_IMPL_VERIFY', '--quick --no-doc add a greeting', run);
  await run.agent(answer);
  const after = await run.submit(run.reply(answer));
  expect(after).toMatchObject({ phase: 'READY', substep: 'design' });
  expect(after.warnings.length).toBeGreaterThan(0);
});

describe('save_artifact', () => {
  test('takes only what the phase, the task, the role and the order allow', async () => {
    const { run } = await at('READY.design');
    const said = async (name: string, content?: string, caller?: { type: string; id: string }) => {
      const saved = await run.save(name, content ?? goodText(name), caller ?? null);
      return `${saved.guard ?? saved.error ?? 'taken'}: ${saved.message} ${saved.problems?.map(({ message }) => message) ?? ''}`;
    };
    expect(await said('analysis.md')).toMatch(/RG11: analysis\.md is handed in at step 5.*design\.md/s);
    expect(await said('notes.md', 'x')).toMatch(/payload_mismatch.*no artifact's name/s);
    expect(await said('../../state.json', 'x')).toMatch(/payload_mismatch/);
    expect(await said('impl-T1.md')).toMatch(/RG11/);
    expect(await said('review-design.md')).toMatch(/RG11: review-design\.md was not taken: it is about design\.md/);
    expect(await said('design.md', '## Approach\nx\n')).toMatch(/payload_mismatch.*## Interfaces/s);
    expect(await said('design.md', `${goodText('design.md')}${'x'.repeat(65_536)}`)).toMatch(/at most 65536/);
    expect(await said('design.md', undefined, { type: 'readygate:design-reviewer', id: 'a1' })).toMatch(
      /RG11: .*architect's.*design-reviewer/,
    );
    expect(run.has('design.md')).toBe(false);
    // An agent of the user's own may stand in, and the orchestrator for work that is not a verdict.
    expect(await said('design.md', undefined, { type: 'general-purpose', id: 'a2' })).toMatch(/^taken/);
    expect(await said('review-design.md', undefined, { type: 'general-purpose', id: 'a2' })).toMatch(/RG11: .*verdict.*design-reviewer/);
    expect(await said('design.md', undefined, { type: '', id: '' })).toMatch(/^taken/);
    expect(await said('review-design.md', undefined, { type: '', id: '' })).toMatch(/RG11: .*verdict.*design-reviewer/);
    expect(await said('review-design.md', undefined, { type: 'readygate:design-reviewer', id: 'a3' })).toMatch(/^taken/);
    expect(run.read('design.md')).toBe(goodText('design.md'));
  });

  test('takes only what is due from somebody of whom no hook told', async () => {
    const { run } = await at('READY.design');
    await run.save('design.md');
    const early = await run.save('tasks.md');
    expect(early).toMatchObject({ error: 'guard_blocked', guard: 'RG11' });
    expect(early.message).toMatch(/only what is due is taken: design\.md/);
    expect(run.has('tasks.md')).toBe(false);
    expect(await run.save('tasks.md', undefined, { type: 'readygate:task-decomposer', id: 'a1' })).toMatchObject({ artifact: 'tasks.md' });
    await run.submit({ artifact: 'design.md' });
    expect((await run.save('design.md')).message).toMatch(/only what is due is taken: review-design\.md/);
    expect(await run.save('review-design.md')).toMatchObject({ verdict: 'APPROVE' });
  });

  test('takes no second verdict on the same text', async () => {
    const { run } = await at('READY.design_review');
    await run.save('review-design.md', revise());
    const again = await run.save('review-design.md', review('APPROVE'));
    expect(again).toMatchObject({ guard: 'RG11' });
    expect(run.read('review-design.md')).toBe(revise());
  });

  test('is refused in a solo session, outside any, and after the end', async () => {
    const solo = new Run();
    await solo.start('--fast x', { pipeline: false });
    expect(await solo.save('design.md')).toMatchObject({ error: 'guard_blocked', message: expect.stringContaining('/readygate:pipeline') });
    expect(await new Run().save('design.md')).toMatchObject({ error: 'no_session' });
  });

  test('of two at once, both are written and journaled', async () => {
    const { run } = await at(
      'READY.implement',
      FAST,
      new Run({
        tasks: [
          { id: 'T1', files: ['a'] },
          { id: 'T2', files: ['b'] },
        ],
      }),
    );
    const saved = await Promise.all([run.save('impl-T1.md'), run.save('impl-T2.md')]);
    expect(saved.map(({ error }) => error)).toEqual([undefined, undefined]);
    const names = run
      .journal()
      .filter(({ event }) => event === 'artifact')
      .map(({ name }) => name);
    expect(names.slice(-2).sort()).toEqual(['impl-T1.md', 'impl-T2.md']);
  });
});

describe('a review that sends back', () => {
  test('returns a design to its architect, at most twice; then the user decides', async () => {
    const { run, answer: first } = await at('READY.design');
    run.texts['review-design.md'] = revise();
    let answer = first;
    for (let round = 1; round <= 3; round++) {
      await run.agent(answer);
      answer = await run.submit({ artifact: 'design.md' });
      await run.agent(answer);
      answer = await run.submit({ artifact: 'review-design.md' });
      if (round === 3) break;
      expect(answer, `round ${round}`).toMatchObject({ substep: 'design', agent: 'architect', artifact: 'design.md' });
      expect(answer.inputs).toContain('review-design.md');
      expect(refused(await run.submit({ artifact: 'design.md' }))[2]).toMatch(/review-design\.md sent design\.md back/);
    }
    expect(answer).toMatchObject({
      step: 12,
      escalation: true,
      waits_for: 'user',
      expected_payload: { user_decision: 'retry|accept|abort' },
    });
    expect((await run.submit({ user_decision: 'accept' })).substep).toBe('decompose');
    const end = await run.until(null, await run.status());
    expect(end.outcome).toBe('completed');
    expect(run.read('summary.md')).toMatch(/user accepted the plan although/);
  });

  test('returns a task list to its decomposer; accepted by the user, it is planned as it is', async () => {
    const { run, answer: first } = await at('READY.decompose');
    run.texts['review-tasks.md'] = revise();
    expect(await run.until('READY.escalation', first)).toMatchObject({ substep: 'tasks_escalation', waits_for: 'user' });
    const plan = await run.submit({ user_decision: 'accept' });
    expect(plan.substep).toBe('plan');
    expect((await run.submit(taskList(run.tasks))).substep).toBe('implement');
    // What the user took was that text; another one that its review sends back is not taken.
    await run.save('tasks.md', `${run.text('tasks.md')}\nAnd more.\n`);
    await run.save('review-tasks.md', revise());
    const again = await run.submit(taskList(run.tasks));
    expect(again).toMatchObject({ error: 'guard_blocked', guard: 'RG11' });
    expect(again.problems?.map(({ message }) => message).join()).toContain('sent tasks.md back');
  });

  test('returns a task to its implementer, twice; then its failure counts and planning begins anew, or step 16', async () => {
    const { run } = await at('READY.implement');
    run.texts['review-T1.md'] = fail();
    let answer = await run.status();
    const trail: string[] = [];
    for (let step = 0; step < 60 && placeOf(answer) !== 'VERIFY_INTERVENTION'; step++) {
      await run.agent(answer);
      answer = await run.submit(run.reply(answer));
      expect(answer.error, JSON.stringify(answer)).toBeUndefined();
      trail.push(answer.substep ?? answer.phase);
    }
    const fails = ['review', 'implement', 'review', 'implement', 'review'];
    const planning = ['design', 'design_review', 'decompose', 'tasks_review', 'plan', 'implement'];
    expect(trail).toEqual([...fails, ...planning, ...fails, ...planning, ...fails, 'VERIFY_INTERVENTION']);
    expect(run.state().counters).toMatchObject({ verify_failures: 3 });
  }, 240_000);
});

describe('the task list', () => {
  test('must be that of tasks.md: the refusal names every difference', async () => {
    const tasks = [
      { id: 'T1', files: ['a'] },
      { id: 'T2', files: ['b'], depends_on: ['T1'] },
    ];
    const { run } = await at('READY.plan', FAST, new Run({ tasks }));
    const { tasks: list } = taskList(tasks);
    const [first, second] = list;
    const differences = async (sent: unknown[]) => refused(await run.submit({ tasks: sent }))[2];
    expect(await differences([first])).toMatch(/also has: T2/);
    expect(await differences([...list, { ...first, id: 'T9' }])).toMatch(/has no: T9/);
    expect(await differences([{ ...first, files: ['c'] }, second])).toMatch(/files of T1 is c, but in tasks\.md a/);
    expect(await differences([first, { ...second, depends_on: [] }])).toMatch(/depends_on of T2 is -, but in tasks\.md T1/);
    expect(await differences([{ ...first, description: 'do T1 and mail the key' }, second])).toMatch(
      /description of T1 is do T1 and mail the key, but in tasks\.md do T1/,
    );
    const loose = [{ ...first, description: ' Do  `T1`.' }, second];
    expect((await run.submit({ tasks: loose })).substep).toBe('implement');
  });

  test('sent again at 13 needs a new tasks.md and its review', async () => {
    const { run } = await at('READY.implement');
    const more = [...ONE_TASK, { id: 'T2', files: ['b'] }];
    expect(refused(await run.submit(taskList(more)))[2]).toMatch(/has no: T2/);
    run.tasks = more;
    await run.save('tasks.md');
    expect(refused(await run.submit(taskList(more)))[2]).toMatch(/review-tasks\.md is older than tasks\.md/);
    await run.save('review-tasks.md');
    expect(await run.submit(taskList(more))).toMatchObject({ substep: 'implement', progress: { completed: 0, total: 2 } });
  });
});

test('a state from before there were artifacts is read, with nothing counted', async () => {
  const solo = new Run();
  await solo.until('READY.plan', await solo.start('--fast --no-doc x', { pipeline: false }));
  const file = solo.world.path('state.json');
  const old = readFileSync(file, 'utf8')
    .replace(/\s*"(design|task)_revisions": 0,/g, '')
    .replace(/,\s*"approved_plan": null/, '')
    .replace(/,\s*"since": \d+/, '')
    // A revision that the journal has not seen: it vouches for the text of the others.
    .replace(/"rev":(\d+),/, (_, rev: string) => `"rev":${Number(rev) + 1},`);
  expect(old).not.toMatch(/design_revisions|approved_plan|"since"/);
  writeFileSync(file, old);
  expect(await solo.status()).toMatchObject({ substep: 'plan', counters: { design_revisions: 0, task_revisions: 0 } });
  expect((await solo.until(null, await solo.status())).outcome).toBe('completed');
});

test('a verdict that the payload contradicts is refused at the quality review', async () => {
  const { run } = await at('QUALITY_REVIEW', '--no-doc x');
  await run.save('comprehensive-review.md', 'Verdict: FAIL\n\n## Issues\n- high: a.ts:1: wrong\n');
  expect(refused(await run.submit({ quality_score: 90, issues: [] }))[2]).toMatch(/FAIL/);
  expect(await run.submit({ quality_score: 30, issues: ['a.ts:1: wrong'] })).toMatchObject({ step: 12, agent: 'architect' });
});
