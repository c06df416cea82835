import { utimesSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { lastChange } from '../../../mcp-server/src/evidence/last-change.ts';
import { emptyFolder } from '../git/sandbox.ts';
import { Project } from './project.ts';

const passed = (more: Record<string, unknown> = {}) => ({ check: 'passed', data: { passed: true, details: 'all well', ...more } }) as const;

function edited(): Project {
  const project = new Project();
  project.edit('src/a.ts');
  return project;
}

describe('passed: true', () => {
  it('is accepted after a check in the foreground that ended with 0', async () => {
    const project = edited();
    project.bash('npm test');
    expect(await project.weigh(passed())).toEqual({ refusal: null, warnings: [] });
  });

  it('is accepted when a subagent ran it', async () => {
    const project = edited();
    project.bash('npm test', 0, { agent_id: 'a1' });
    expect(await project.refused(passed())).toEqual([]);
  });

  const lies: [string, string, (project: Project) => void][] = [
    ['nothing was run', 'no_check', () => {}],
    ['only trivial commands were run', 'no_check', (project) => project.bash('git status && echo "12 passed"')],
    ['the check failed', 'check_failed', (project) => project.bash('npm test', 1)],
    ['the check was interrupted', 'check_failed', (project) => project.bash('npm test', 0, { interrupted: 'true' })],
    ['the exit code was hidden', 'exit_hidden', (project) => project.bash('npm test | tail -3')],
    ['the failure was waved through', 'exit_hidden', (project) => project.bash('npm test || true')],
    ['the check ran in the background', 'background', (project) => project.bash('npm test', 0, { run_in_background: 'true', task: 'b1' })],
    ['the check outlived its time limit', 'background', (project) => project.bash('npm test', 0, { task: 'b1' })],
    [
      'a file was edited later',
      'edited_after',
      (project) => {
        project.bash('npm test');
        project.edit('src/a.ts');
      },
    ],
    [
      'a file was edited while the check ran',
      'edited_after',
      (project) => {
        project.edit('src/a.ts');
        project.bash('npm test', 0, { duration_ms: '5000' });
      },
    ],
    [
      'a notebook was edited later',
      'edited_after',
      (project) => {
        project.bash('npm test');
        project.hook({ tool_name: 'NotebookEdit', notebook_path: project.at('n.ipynb') });
      },
    ],
  ];

  it.each(lies)('is refused when %s', async (_what, key, work) => {
    const project = edited();
    work(project);
    expect(await project.refused(passed())).toEqual([`/passed ${key}`]);
  });

  it('is accepted again once the check ran anew', async () => {
    const project = edited();
    project.bash('npm test', 1);
    project.edit('src/a.ts');
    expect(await project.refused(passed())).not.toEqual([]);
    project.bash('npm test');
    expect(await project.refused(passed())).toEqual([]);
  });

  it('is not troubled by edits that failed, or that went elsewhere', async () => {
    const project = edited();
    project.bash('npm test');
    project.hook({ tool_name: 'Edit', file_path: project.at('src/a.ts'), error: 'denied' }, 'PostToolUseFailure');
    project.hook({ tool_name: 'Write', file_path: `${emptyFolder()}/plan.md` });
    expect(await project.refused(passed())).toEqual([]);
  });

  it('needs a check of this round: one before editing opened proves nothing', async () => {
    const project = new Project();
    project.bash('npm test');
    const since = project.clock.now() + 1;
    expect(await project.refused({ ...passed(), since })).toEqual(['/passed no_check']);
    project.bash('npm test');
    expect(await project.refused({ ...passed(), since })).toEqual([]);
  });

  it('knows by the disk of an edit that went through the shell', async () => {
    const project = edited();
    project.bash('npm test');
    const { now } = project.clock;
    project.clock.pass(60_000);
    utimesSync(project.at('README.md'), new Date(now()), new Date(now()));
    const changed = lastChange(project.root, ['src/a.ts', 'README.md', 'deleted.txt', 'src'].slice(1));
    expect(changed).toEqual({ path: 'README.md', at: now() });
    const { refusal } = await project.weigh({ ...passed(), changed });
    expect(refusal?.problems[0]?.message).toEqual({
      key: 'problem.evidence_edited_after',
      params: { command: 'npm test', path: 'README.md' },
    });
    project.bash('npm test');
    expect(await project.refused({ ...passed(), changed })).toEqual([]);
  });

  it('with another check still failing goes on, and says so', async () => {
    const project = edited();
    project.bash('npm run lint', 1);
    project.bash('npm test');
    expect(await project.weigh(passed())).toEqual({
      refusal: null,
      warnings: [{ key: 'warning.evidence_failing', params: { command: 'npm run lint', exit: 1 } }],
    });
    project.bash('npm run lint');
    expect((await project.weigh(passed())).warnings).toEqual([]);
  });

  it('with a reason why there is nothing to run goes on with a warning', async () => {
    const project = edited();
    const { refusal, warnings } = await project.weigh(passed({ no_check_reason: 'a text without any tests' }));
    expect(refusal).toBeNull();
    expect(warnings).toEqual([{ key: 'warning.no_check', params: { reason: 'a text without any tests' } }]);
    expect(await project.refused(passed({ no_check_reason: '   ' }))).toEqual(['/passed no_check']);
  });

  it('is taken with a warning where hooks are not active', async () => {
    expect(await new Project().weigh(passed())).toEqual({ refusal: null, warnings: [{ key: 'warning.evidence_no_ledger' }] });
  });
});

it('passed: false needs no evidence', async () => {
  const project = edited();
  expect(await project.weigh({ check: 'passed', data: { passed: false, details: 'it fails' } })).toEqual({ refusal: null, warnings: [] });
});
