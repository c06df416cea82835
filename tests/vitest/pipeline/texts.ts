/** What the agents of a pipeline session write when all goes well. */

export interface Planned {
  id: string;
  files: string[];
  depends_on?: string[];
}

export const ONE_TASK: Planned[] = [{ id: 'T1', files: ['hello.txt'] }];

const list = (items: readonly string[] = []): string => (items.length > 0 ? items.join(', ') : 'None');

export function tasksText(tasks: readonly Planned[]): string {
  const parts = tasks.map(
    ({ id, files, depends_on }, index) =>
      `### ${id}: do ${id}\n- files: ${list(files)}\n- depends_on: ${list(depends_on)}\n- criteria: AC-${index + 1}\n`,
  );
  const criteria = tasks.map(({ id }, index) => `- AC-${index + 1} (${id}): it is there. Check: \`test -e x\`, exit code 0`);
  return `## Tasks\n\n${parts.join('\n')}\n## Acceptance criteria\n${criteria.join('\n')}\n`;
}

/** The `tasks` payload of the same list. */
export const taskList = (tasks: readonly Planned[]) => ({
  tasks: tasks.map(({ id, files, depends_on = [] }) => ({ id, description: `do ${id}`, status: 'pending', files, depends_on })),
});

export const sections = (...titles: string[]): string => titles.map((title) => `## ${title}\n- what was found (src/a.ts:1)\n`).join('\n');

export const review = (verdict: string, ...findings: string[]): string =>
  `Verdict: ${verdict}\n\n## Findings\n${findings.length > 0 ? findings.map((text) => `- ${text}`).join('\n') : 'None. All was read.'}\n`;

export const revise = (): string => review('REVISE', 'CRITICAL: it would lose data (src/a.ts:3)', 'MINOR: a name');
export const fail = (): string => review('FAIL', 'src/a.ts:3: wrong');

export function verificationText(tasks: readonly Planned[], failed: readonly number[] = []): string {
  const lines = tasks.map((_, index) =>
    failed.includes(index + 1)
      ? `- AC-${index + 1}: FAIL. \`test -e x\`, exit code 1: not there`
      : `- AC-${index + 1}: PASS. \`test -e x\`, exit code 0`,
  );
  return `## Acceptance criteria\n${lines.join('\n')}\n\n## Whole project\n- \`npm test\`, exit code 0\n\n## Assumptions\nNone.\n`;
}

const FIXED: Record<string, string> = {
  'documents.md': sections('Documents read', 'Rules that bind this work'),
  'analysis.md': sections('Relevant files', 'Interfaces and types', 'Data flow', 'Existing tests'),
  'investigation.md': sections(
    'Root cause',
    'Edge cases',
    'Risks',
    'External dependencies',
    'Prior art',
    'Ambiguities',
    'Impact of deletions and renames',
    'Hypotheses',
  ),
  'impact.md': sections('Affected callers', 'Tests to run', 'Migration and API breaks'),
  'design.md': sections('Approach', 'Alternatives rejected', 'Interfaces', 'Test strategy'),
  'review-design.md': review('APPROVE'),
  'review-tasks.md': review('APPROVE', 'MINOR: a name'),
  'comprehensive-review.md': 'Verdict: PASS\n\n## Issues\nNone.\n\n## What was checked\n- `git diff main...HEAD`\n',
};

/** A text that save_artifact takes. */
export function goodText(name: string, tasks: readonly Planned[] = ONE_TASK): string {
  if (name === 'tasks.md') return tasksText(tasks);
  if (name === 'verification.md') return verificationText(tasks);
  if (name.startsWith('impl-')) return sections('What changed', 'Deviations', 'How verified');
  return FIXED[name] ?? review('PASS');
}
