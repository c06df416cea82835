import { describe, expect, it } from 'vitest';
import { Project } from './project.ts';

const claim = (evidence: unknown, result = 'confirmed') =>
  ({ check: 'hypotheses', data: { hypotheses_verified: [{ hypothesis: 'it is so', result, evidence }] } }) as const;
const AT = '/hypotheses_verified/0/evidence';

/** `src/a.ts` (three lines) was read; `npm test` failed with 2, `cd src && npx tsc` passed. */
function worked(): Project {
  const project = new Project();
  project.read('src/a.ts');
  project.bash('CI=1 npm test 2>&1', 2);
  project.bash('cd src && npx tsc --noEmit');
  project.bash('make');
  return project;
}

describe('evidence that holds', () => {
  it.each([
    'src/a.ts:2',
    'src/a.ts:1-3 returns two',
    'see `src/a.ts:2`, it says so',
    'src/a.ts#L2',
    'src/a.ts holds the only caller',
    'npm test: exit 2, as expected',
    'ran `npm test` (exit code 2)',
    'npx tsc --noEmit exited with 0',
    '`make` went through',
    'make: exit 0',
    'src/a.ts:2 and `npm test` (exit 2)',
    'listens on localhost:3000, see src/a.ts:1',
    'at 12:30 I read src/a.ts:1',
    { file: 'src/a.ts', line: 2 },
    { path: 'src/a.ts:1-2', note: 'x' },
    { command: 'npm test', exit_code: 2 },
    { command: 'npx tsc --noEmit', exit: 0, output: 'nothing' },
    { text: 'src/a.ts:3' },
  ])('%j', async (evidence) => {
    expect(await worked().refused(claim(evidence))).toEqual([]);
  });

  it('may be missing where nothing could be settled', async () => {
    expect(await worked().refused(claim('there is no network here', 'inconclusive'))).toEqual([]);
  });
});

describe('evidence that does not hold', () => {
  it.each([
    ['I looked at it and it is so', 'no_pointer'],
    ['it made sense, and it tests well', 'no_pointer'],
    [{ note: 'trust me' }, 'no_pointer'],
    ['src/none.ts:3', 'missing_file'],
    ['src/a.ts:5', 'no_line'],
    ['src/a.ts:2-90', 'no_line'],
    ['src/a.ts:0', 'no_line'],
    ['src/deep/b.ts:1', 'unread'],
    [{ file: 'src/deep/b.ts', line: 1 }, 'unread'],
    [{ command: 'cargo test' }, 'not_run'],
    [{ command: 'npm test', exit: 0 }, 'exit_differs'],
    ['npm test: exit 0', 'exit_differs'],
    ['`npm test` exited with code 0, see src/a.ts:2', 'exit_differs'],
    ['cargo test: exit 0', 'no_pointer'],
    ['README.md says so', 'no_pointer'],
  ])('%j', async (evidence, key) => {
    expect(await worked().refused(claim(evidence))).toEqual([`${AT} ${key}`]);
  });

  it('every pointer must hold, not one of them', async () => {
    expect(await worked().refused(claim('src/a.ts:2, src/none.ts:1, src/deep/b.ts:1'))).toEqual([`${AT} missing_file`, `${AT} unread`]);
  });

  it('a command in the background did not run', async () => {
    const project = new Project();
    project.bash('npm test', 0, { task: 'b1', run_in_background: 'true' });
    expect(await project.refused(claim({ command: 'npm test' }))).toEqual([`${AT} not_run`]);
  });

  it('an unsettled hypothesis may not point at what is not there', async () => {
    expect(await worked().refused(claim('src/a.ts:77', 'inconclusive'))).toEqual([`${AT} no_line`]);
  });

  it('tells each hypothesis apart', async () => {
    const hypotheses_verified = ['src/a.ts:1', 'nothing', 'npm test: exit 2'].map((evidence) => ({
      hypothesis: 'x',
      result: 'rejected',
      evidence,
    }));
    expect(await worked().refused({ check: 'hypotheses', data: { hypotheses_verified } })).toEqual([
      '/hypotheses_verified/1/evidence no_pointer',
    ]);
  });
});
