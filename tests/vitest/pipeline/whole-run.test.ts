import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../server/host.ts';
import { Run } from './run.ts';
import { goodText, type Planned } from './texts.ts';

const FIVE: Planned[] = [
  { id: 'T1', files: ['src/a.ts'] },
  { id: 'T2', files: ['src/b.ts'] },
  { id: 'T3', files: ['src/c.ts'], depends_on: ['T1'] },
  { id: 'T4', files: ['docs/'] },
  { id: 'T5', files: ['docs/d.md'], depends_on: ['T4'] },
];

const PLANNING = ['architect', 'design-reviewer', 'task-decomposer', 'task-reviewer'];

/** Ten findings under each heading, as agents write them. */
const asLongAs = (text: string): string => {
  const line = '- `name(arguments): result` (src/some/module.ts:123): what it does and who relies on it\n';
  return text.replaceAll('- what was found (src/a.ts:1)\n', line.repeat(10));
};

describe('a whole pipeline session', () => {
  const run = new Run({ tasks: FIVE });
  let answer: Answer;

  beforeAll(async () => {
    for (const name of ['documents.md', 'analysis.md', 'investigation.md', 'impact.md', 'design.md'])
      run.texts[name] = asLongAs(goodText(name));
    answer = await run.until(null, await run.start());
  }, 240_000);

  test('names agent after agent to the merge, and every artifact is there at its end', () => {
    expect(answer).toMatchObject({ phase: 'SESSION_COMPLETE', outcome: 'completed', artifact: 'summary.md' });
    const implementing = FIVE.flatMap(() => ['implementer', 'impl-reviewer']);
    expect(run.agents).toEqual([
      'document-researcher',
      'situation-analyst',
      'investigator',
      'investigator',
      'investigator',
      ...PLANNING,
      ...implementing,
      'verifier',
      'comprehensive-reviewer',
    ]);
    for (const name of [
      'request',
      'documents',
      'analysis',
      'investigation',
      'impact',
      'design',
      'review-design',
      'tasks',
      'review-tasks',
      'impl-T5',
      'review-T5',
      'verification',
      'comprehensive-review',
      'summary',
    ])
      expect(run.has(`${name}.md`), name).toBe(true);
    expect(run.world.box.branches()).toEqual(['main']);
    expect(run.world.box.read('src/c.ts')).toBe('T3\n');
    expect(run.journal().filter(({ event }) => event === 'artifact')).toHaveLength(run.agents.length);
  });

  test('costs the orchestrator less than 60 KB, and shows it neither a source file nor a diff', () => {
    const answers = run.received.map((answer) => Buffer.byteLength(JSON.stringify(answer)));
    // What it must read to answer: not the design, not the reviews, not the reports of tasks.
    const read = [
      'documents.md',
      'analysis.md',
      'investigation.md',
      'investigation.md',
      'impact.md',
      'tasks.md',
      'verification.md',
      'comprehensive-review.md',
      'summary.md',
    ];
    const artifacts = read.map((name) => Buffer.byteLength(run.read(name)));
    const sum = (sizes: number[]) => sizes.reduce((total, size) => total + size, 0);
    console.log(
      `orchestrator, 5 tasks: ${answers.length} answers ${sum(answers)} bytes (largest ${Math.max(...answers)}), artifacts ${sum(artifacts)} bytes, together ${sum(answers) + sum(artifacts)}`,
    );
    expect(sum(answers) + sum(artifacts)).toBeLessThan(60_000);
    const all = run.received.map((answer) => JSON.stringify(answer)).join('\n');
    expect(all).not.toMatch(/diff --git|@@ -\d/);
  });
});
