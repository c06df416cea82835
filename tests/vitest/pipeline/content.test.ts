/** What save_artifact reads in a text, case by case; pure, so every rule has its rows. */
import { describe, expect, test } from 'vitest';
import { readContent } from '../../../mcp-server/src/artifacts/content.ts';
import { artifactRules, ruleOf, taskIdProblems } from '../../../mcp-server/src/flow/artifacts.ts';
import { table } from '../../../mcp-server/src/flow/table.ts';
import { fail, goodText, ONE_TASK, review, revise, sections, tasksText, verificationText } from './texts.ts';

const ruleNamed = (name: string) => {
  const found = ruleOf(name);
  if (!found) throw new Error(`no rule for ${name}`);
  return found.rule;
};
const read = (name: string, text: string, tasks: string | null = null) => readContent(ruleNamed(name), text, tasks);
const keys = (name: string, text: string, tasks: string | null = null) =>
  read(name, text, tasks).problems.map(({ message }) => message.key);

/** An artifact of each kind, `{task}` filled in. */
const NAMES = artifactRules.map(({ name }) => name.replace('{task}', 'T1'));

describe('the table', () => {
  test('names each artifact that a phase owes, and none besides', () => {
    const owed = Object.values(table.nodes).flatMap(({ accepts }) => accepts.flatMap(({ artifact = [] }) => artifact));
    expect([...new Set(owed)].sort()).toEqual(artifactRules.map(({ name }) => name).sort());
  });

  test('takes each artifact at the steps at which it is owed', () => {
    for (const { step, accepts } of Object.values(table.nodes))
      for (const name of accepts.flatMap(({ artifact = [] }) => artifact))
        expect(ruleNamed(name.replace('{task}', 'T1')).steps, name).toContain(step);
  });
});

describe('every artifact', () => {
  test.each(NAMES)('%s is taken as the agents’ briefs describe it', (name) => {
    expect(keys(name, goodText(name), tasksText(ONE_TASK))).toEqual([]);
  });

  test.each([
    ['heading', 'documents.md', `## a${' '.repeat(30_000)}b`],
    ['criterion', 'verification.md', `## Acceptance criteria\n\n- AC-1${'*'.repeat(30_000)}x`],
  ])('a %s of nothing but filling is read in no time', (_what, name, text) => {
    const begun = Date.now();
    expect(keys(name, text)).toContain('problem.heading_missing');
    expect(Date.now() - begun).toBeLessThan(5000);
  });

  // Far more than is taken: what goes over it again for each of its characters does not end in the time that a test has.
  const LONG = 2_000_000;
  const again = (text: string): string => text.repeat(Math.ceil(LONG / text.length));
  const BLANK = ' '.repeat(LONG);
  const criteria = Array.from({ length: 50_000 }, (_, index) => `- AC-${index}`).join('\n');
  test.each([
    ['blanks after a verdict', 'review-T1.md', `Verdict: PASS${BLANK}x`],
    ['marks after a verdict', 'review-T1.md', `Verdict: PASS${again('*')}x`],
    ['marks before a verdict', 'review-T1.md', `${again('#')}Verdict PASS`],
    ['blanks in a verdict', 'review-T1.md', `Verdict${BLANK}PASS`],
    ['comments that never end', 'documents.md', `## Documents read\n${again('<!--')}`],
    ['comments that end at once', 'documents.md', `## Documents read\n${again('<!---->')}`],
    ['number signs', 'documents.md', again('#')],
    ['headings', 'documents.md', again('## a\n### b\n')],
    ['fences', 'documents.md', again('~~~\n')],
    ['blanks in an item', 'review-T1.md', `## Findings\n- ${BLANK}a\u2028b`],
    ['digits in an item', 'review-T1.md', `## Findings\n${again('1')}`],
    ['blanks in a task', 'tasks.md', `## Tasks\n### T1${BLANK}x`],
    ['marks in a task', 'tasks.md', `## Tasks\n### ${again('*')}x`],
    ['blanks in a description', 'tasks.md', `## Tasks\n### T1:${BLANK}a\u2028b`],
    ['criteria', 'tasks.md', `## Tasks\n\n## Acceptance criteria\n${criteria}`],
    ['digits in a criterion', 'verification.md', `## Acceptance criteria\n- AC-${again('1')}x`],
    ['brackets in a criterion', 'verification.md', `## Acceptance criteria\n- AC-1 ${again('(')}`],
  ])('%s are read once, however many', (_what, name, text) => {
    expect(keys(name, text).length).toBeGreaterThan(0);
  });

  test.each(NAMES)('%s is not taken empty', (name) => {
    expect(keys(name, '')).toContain('problem.heading_missing');
  });

  const headings = NAMES.flatMap((name) => ruleNamed(name).headings.map((heading): [string, string] => [name, heading]));
  test.each(headings)('%s needs something under "%s"', (name, heading) => {
    const good = goodText(name);
    expect(keys(name, good.replace(`## ${heading}\n`, `## Other\n`))).toContain('problem.heading_missing');
    expect(keys(name, good.replace(`## ${heading}\n`, `## ${heading}\n\n## Other\n`))).toContain('problem.heading_empty');
    expect(keys(name, good.replace(`## ${heading}\n`, `## ${heading}\n<!-- later -->\n-\n### More\n---\n## Other\n`))).toContain(
      'problem.heading_empty',
    );
    expect(keys(name, `${good}\n## ${heading}\nagain\n`)).toContain('problem.heading_twice');
    expect(keys(name, good.replace(`## ${heading}\n`, `##  **${heading.toUpperCase()}** ##\n`))).toEqual([]);
  });

  test('has its headings outside code blocks', () => {
    expect(keys('documents.md', `\`\`\`\n${goodText('documents.md')}\`\`\`\n`)).toEqual([
      'problem.heading_missing',
      'problem.heading_missing',
    ]);
    expect(keys('documents.md', sections('Documents read', 'Rules that bind this work').replace(/\n/g, '\r\n'))).toEqual([]);
  });
});

const REVIEWS: [name: string, good: string, bad: string][] = [
  ['review-design.md', review('APPROVE'), revise()],
  ['review-tasks.md', review('APPROVE'), revise()],
  ['review-T1.md', review('PASS'), fail()],
  ['comprehensive-review.md', goodText('comprehensive-review.md'), 'Verdict: FAIL\n\n## Issues\n- high: a.ts:1: wrong\n'],
];

describe('a verdict', () => {
  test.each(REVIEWS)('of %s is read', (name, good, bad) => {
    const { verdicts } = ruleNamed(name);
    expect(read(name, good)).toMatchObject({ problems: [], verdict: verdicts?.good[0] });
    expect(read(name, bad)).toMatchObject({ problems: [], verdict: verdicts?.bad[0] });
  });

  test.each(REVIEWS)('of %s must be there, once, as a known word alone; none of these is an approval', (name, good) => {
    const word = /Verdict: (\w+)/.exec(good)?.[1] ?? '';
    const line = `Verdict: ${word}`;
    const table: [string, string][] = [
      ['', 'problem.verdict_missing'],
      [`\`\`\`\n${line}\n\`\`\``, 'problem.verdict_missing'],
      [`${line}\n\n${line}`, 'problem.verdict_twice'],
      ['Verdict:', 'problem.verdict_unknown'],
      ['Verdict: LGTM', 'problem.verdict_unknown'],
      [`Verdict: ${word}, but mind the tests`, 'problem.verdict_unknown'],
      [`Verdict: not ${word}`, 'problem.verdict_unknown'],
    ];
    for (const [written, key] of table) {
      expect(keys(name, good.replace(line, written)), written).toContain(key);
      expect(read(name, good.replace(line, written)).verdict).toBeNull();
    }
    for (const written of [`**Verdict:** ${word}`, `**Verdict: ${word}**`, `## Verdict: \`${word}\``, `verdict： ${word.toLowerCase()}.`])
      expect(read(name, good.replace(line, written)), written).toMatchObject({ problems: [], verdict: word });
  });

  const rows: [string, string, string[]][] = [
    ['review-design.md', review('REVISE'), ['problem.verdict_no_finding']],
    ['review-design.md', review('REVISE', 'MINOR: a name'), ['problem.verdict_too_bad']],
    ['review-design.md', review('APPROVE', 'CRITICAL: it loses data'), ['problem.verdict_too_good']],
    ['review-design.md', review('APPROVE', 'CRITICAL (settled): it lost data', 'MINOR: a name'), []],
    ['review-design.md', review('APPROVE', 'a name'), ['problem.finding_severity']],
    ['review-tasks.md', review('REVISE', '**CRITICAL**: T2 is missing'), []],
    ['review-T1.md', review('FAIL'), ['problem.verdict_no_finding']],
    ['review-T1.md', review('PASS_WITH_NOTES', 'a.ts:1: short'), []],
    ['comprehensive-review.md', 'Verdict: FAIL\n\n## Issues\nNone.\n', ['problem.verdict_no_finding']],
  ];
  test.each(rows)('of %s goes with its findings: %j', (name, text, expected) => {
    expect(keys(name, text)).toEqual(expected);
  });
});

describe('tasks.md', () => {
  const good = tasksText([
    { id: 'T1', files: ['a.ts', 'b.ts'] },
    { id: 'T2', files: ['c.ts'], depends_on: ['T1'] },
  ]);

  test('is read as a list', () => {
    expect(read('tasks.md', good).plan).toEqual([
      { id: 'T1', description: 'do T1', files: ['a.ts', 'b.ts'], depends_on: [] },
      { id: 'T2', description: 'do T2', files: ['c.ts'], depends_on: ['T1'] },
    ]);
    expect(read('tasks.md', good.replace('- files: a.ts, b.ts', '- **files**: `a.ts`、`b.ts`')).plan?.[0]?.files).toEqual(['a.ts', 'b.ts']);
  });

  const rows: [what: string, from: string, to: string, key: string][] = [
    ['no task', /### T1[\s\S]*(?=\n## Acc)/.exec(good)?.[0] ?? '', 'none yet\n', 'problem.plan_none'],
    ['a heading without an id', '### T1: do T1', '### do T1', 'problem.plan_heading'],
    ['no files', '- files: c.ts\n', '', 'problem.plan_line'],
    ['no dependencies', '- depends_on: T1\n', '', 'problem.plan_line'],
    ['no criteria line', '- criteria: AC-2\n', '', 'problem.plan_line'],
    ['no criterion', '- criteria: AC-2', '- criteria: None', 'problem.plan_no_criterion'],
    ['a criterion that is not there', '- criteria: AC-2', '- criteria: AC-2, AC-9', 'problem.plan_unknown'],
    ['a criterion of no task', '- criteria: AC-2', '- criteria: AC-1', 'problem.plan_unused'],
    ['a task twice', '### T2: do T2', '### T1: do T2', 'problem.plan_twice'],
    ['a task that depends on itself', '- depends_on: T1', '- depends_on: T2', 'problem.plan_unknown'],
    ['a criterion twice', '- AC-2 (T2)', '- AC-1 (T2)', 'problem.criterion_twice'],
  ];
  test.each(rows)('with %s is not taken', (_what, from, to, key) => {
    expect(good).toContain(from);
    expect(keys('tasks.md', good.replace(from, to))).toContain(key);
  });

  test.each(['design', 'tasks', 'a/b', '../x', 'a b', '.hidden', 'x'.repeat(65), 'é'])(
    'no task may have the id %s, which is part of file names',
    (id) => {
      expect(taskIdProblems([{ id }])).toHaveLength(1);
    },
  );

  test('no two tasks may differ by case alone', () => {
    expect(taskIdProblems([{ id: 'T1' }, { id: 't1' }])).toHaveLength(1);
    expect(taskIdProblems([{ id: 'T1' }, { id: 'T-2.b_c' }])).toEqual([]);
  });
});

describe('verification.md', () => {
  const TWO = [...ONE_TASK, { id: 'T2', files: ['b.ts'] }];

  test('names what failed', () => {
    expect(read('verification.md', verificationText(TWO, [2])).failed_criteria).toEqual(['AC-2']);
    expect(read('verification.md', verificationText(TWO)).failed_criteria).toEqual([]);
  });

  const good = verificationText(TWO);
  const rows: [what: string, from: string, to: string, key: string][] = [
    ['a criterion left out', /- AC-2.*\n/.exec(good)?.[0] ?? '', '', 'problem.criterion_missing'],
    ['no result', 'AC-2: PASS.', 'AC-2: looks right.', 'problem.criterion_result'],
    ['no command', 'AC-2: PASS. `test -e x`, exit code 0', 'AC-2: PASS, surely', 'problem.criterion_command'],
    ['a criterion twice', '- AC-2:', '- AC-1:', 'problem.criterion_twice'],
  ];
  test.each(rows)('with %s is not taken', (_what, from, to, key) => {
    expect(good).toContain(from);
    expect(keys('verification.md', good.replace(from, to), tasksText(TWO))).toContain(key);
  });
});

test('a name that is no artifact’s has no rule', () => {
  for (const name of [
    '',
    'design',
    'Design.md',
    'impl-.md',
    'impl-{task}.md',
    '../design.md',
    'review-../x.md',
    'state.json',
    'summary.md',
    'request.md',
  ])
    expect(ruleOf(name), name).toBeNull();
});
