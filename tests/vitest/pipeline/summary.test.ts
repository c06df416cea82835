/** summary.md stands at the end of every session, and says how it went. */
import { mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Run } from './run.ts';
import { ONE_TASK, verificationText } from './texts.ts';

test('of a session that went wrong on its way: time, blocks, returns, decisions and hints', async () => {
  const run = new Run();
  let answer = await run.until('POST_IMPL_VERIFY', await run.start('--fast --no-doc add a greeting'));
  await run.submit(run.reply(answer));
  await run.submit(run.reply(answer));
  run.texts['verification.md'] = verificationText(ONE_TASK, [1]);
  await run.agent(answer);
  answer = await run.submit({ passed: false, details: 'AC-1 fails', failed_tasks: ['T1'] });
  run.texts = {};
  run.world.edits['more.txt'] = 'x';
  run.tasks = [...ONE_TASK, { id: 'T2', files: ['more.txt'] }];
  const end = await run.until(null, answer);
  expect(end).toMatchObject({ outcome: 'completed', artifact: 'summary.md' });
  const text = run.read('summary.md');
  expect(text).toMatch(/^# add a greeting$/m);
  expect(text).toMatch(/completed\. Intent IMPLEMENT/);
  expect(text).toMatch(/T2: do T2\. did T2/);
  expect(text).toMatch(/Commit [0-9a-f]{12}/);
  expect(text).toMatch(/\| 15 POST_IMPL_VERIFY \| 2 \| \d+ s \|/);
  expect(text).toMatch(/15 POST_IMPL_VERIFY: RG11: verification\.md is not handed in/);
  expect(text).toMatch(/15 POST_IMPL_VERIFY → 12 READY/);
  expect(text).toMatch(/was blocked most \(2×\)\. The first reason: RG11: verification\.md/);
  expect(text).toMatch(/15 POST_IMPL_VERIFY was repeated most \(2×\)/);
  expect(text).toMatch(/T1 failed 1×/);
  expect(text).not.toMatch(/\{[a-z_]+\}/);
});

test('of a solo session, of an investigation, and of one that the disk refuses', async () => {
  const solo = new Run();
  const ended = await solo.until(null, await solo.start('--quick --no-doc add a greeting', { pipeline: false }));
  expect(ended).toMatchObject({ outcome: 'completed', agent: null, artifact: 'summary.md' });
  expect(solo.read('summary.md')).toMatch(/## What could go better\n\nNone\./);

  const looked = new Run();
  const no = {
    needs_more_information: false,
    reason: 'all was read already',
    q2: { has_unverified_hypotheses: false, reason: 'r' },
    q3: { needs_impact_analysis: false, reason: 'r' },
  };
  let answer = await looked.until('Q1', await looked.start('--no-doc why?', { intent: 'QUESTION' }));
  answer = await looked.submit(no);
  expect(answer).toMatchObject({
    phase: 'INVESTIGATION_REPORT',
    agent: 'investigator',
    artifact: 'investigation.md',
    inputs: ['request.md', 'analysis.md'],
  });
  expect((await looked.submit({ artifact: 'investigation.md' })).guard).toBe('RG11');
  expect((await looked.until(null, answer)).outcome).toBe('investigated');
  expect(looked.read('summary.md')).toMatch(/Artifacts: analysis\.md, investigation\.md/);

  const refused = new Run();
  answer = await refused.until('POST_IMPL_VERIFY', await refused.start('--quick --no-doc add a greeting', { pipeline: false }));
  mkdirSync(refused.file('summary.md'));
  const last = await refused.submit({ passed: true, details: 'd' });
  expect(last).toMatchObject({ outcome: 'completed', artifact: null });
  expect(last.warnings.join()).toMatch(/summary\.md could not be written/);
});
