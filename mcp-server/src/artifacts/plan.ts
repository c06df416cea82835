/** The task list that tasks.md holds, its acceptance criteria, and what verification.md says of each. Pure. */
import { problem } from '../flow/problem.ts';
import type { PlannedTask, Problem } from '../flow/types.ts';
import { itemsOf, type Line, type Section, sectionNamed, sectionsOf } from './markdown.ts';

const at = '/content';
const CRITERIA = 'Acceptance criteria';
const CRITERION = /^[*_`]*(AC-\d+)\b[*_`]*/i;

const numberOf = (text: string): string | undefined => CRITERION.exec(text)?.[1]?.toUpperCase();

/** Numbers of the criteria, in their order. */
export const criteriaOf = (lines: readonly Line[]): string[] =>
  sectionNamed(lines, CRITERIA)
    .flatMap(itemsOf)
    .flatMap(({ text }) => numberOf(text) ?? []);

/** The value of `- name: a, b` under a task; null when there is no such line, empty for "None". */
function listNamed(section: Section, name: string): string[] | null {
  const item = itemsOf(section).find(
    ({ text }) =>
      text
        .replace(/[*_`]/g, '')
        .toLowerCase()
        .startsWith(`${name.replace('_', '')}:`) || text.replace(/[*`]/g, '').toLowerCase().startsWith(`${name}:`),
  );
  if (!item) return null;
  const value = item.text
    .slice(item.text.indexOf(':') + 1)
    .replace(/[*`]/g, '')
    .trim();
  if (/^(none|なし|-|—)?\.?$/i.test(value)) return [];
  return value
    .split(/[,、]/)
    .map((part) => part.trim())
    .filter(Boolean);
}

interface ReadTask extends PlannedTask {
  line: number;
  criteria: string[];
  missing: string[];
}

function readTask(section: Section): ReadTask | null {
  const [, id, description] = /^[*`]*([^\s:：*`]+)[*`]*\s*[:：]\s*(\S.*)$/.exec(section.title) ?? [];
  if (id === undefined || description === undefined) return null;
  const [files, depends, criteria] = ['files', 'depends_on', 'criteria'].map((name) => listNamed(section, name));
  const missing = Object.entries({ files, depends_on: depends, criteria }).flatMap(([name, value]) => (value === null ? [name] : []));
  return {
    id,
    description,
    line: section.line,
    files: files ?? [],
    depends_on: depends ?? [],
    criteria: (criteria ?? []).map((name) => name.toUpperCase()),
    missing,
  };
}

/** Where each name stands first. */
function firstPlaces(names: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const [index, name] of names.entries()) if (!places.has(name)) places.set(name, index);
  return places;
}

function taskProblems(tasks: readonly ReadTask[], known: ReadonlyMap<string, number>): Problem[] {
  const ids = firstPlaces(tasks.map(({ id }) => id));
  return tasks.flatMap(({ id, line, criteria, missing, depends_on }, index) => [
    ...missing.map((name) => problem(at, 'problem.plan_line', { id, name, line })),
    ...((ids.get(id) ?? index) < index ? [problem(at, 'problem.plan_twice', { id, line })] : []),
    ...(criteria.length === 0 && !missing.includes('criteria') ? [problem(at, 'problem.plan_no_criterion', { id, line })] : []),
    ...criteria.filter((name) => !known.has(name)).map((name) => problem(at, 'problem.plan_unknown', { id, name, line })),
    ...depends_on.filter((name) => name === id).map((name) => problem(at, 'problem.plan_unknown', { id, name, line })),
  ]);
}

/** Reads tasks.md: `### id: description` under "Tasks", each with files, depends_on and criteria. */
export function readTasks(lines: readonly Line[]): { plan: PlannedTask[]; problems: Problem[] } {
  const [section] = sectionNamed(lines, 'Tasks');
  if (!section) return { plan: [], problems: [] }; // said already: the heading is missing
  const headings = sectionsOf(section.lines, 3);
  const read = headings.map((heading) => ({ heading, task: readTask(heading) }));
  const tasks = read.flatMap(({ task }) => task ?? []);
  const known = criteriaOf(lines);
  const places = firstPlaces(known);
  const used = new Set(tasks.flatMap(({ criteria }) => criteria));
  const problems = [
    ...(headings.length === 0 ? [problem(at, 'problem.plan_none', { line: section.line })] : []),
    ...read.flatMap(({ heading, task }) => (task ? [] : [problem(at, 'problem.plan_heading', { line: heading.line })])),
    ...taskProblems(tasks, places),
    ...known.filter((name) => !used.has(name)).map((name) => problem(at, 'problem.plan_unused', { name })),
    ...known.filter((name, index) => (places.get(name) ?? index) < index).map((name) => problem(at, 'problem.criterion_twice', { name })),
  ];
  return { plan: tasks.map(({ id, description, files, depends_on }) => ({ id, description, files, depends_on })), problems };
}

/** Reads verification.md: one line `- AC-n: PASS or FAIL` for each criterion, with the command in backticks. */
export function readCriteria(lines: readonly Line[], wanted: readonly string[]): { failed: string[]; problems: Problem[] } {
  const items = sectionNamed(lines, CRITERIA)
    .flatMap(itemsOf)
    .flatMap(({ text, line }) => {
      const name = numberOf(text);
      const result = /^[*_`\s]{0,8}AC-\d+[*_`\s]{0,8}(?:\([^)]*\))?[*_`\s]{0,8}[:：]?[*_`\s]{0,8}(PASS|FAIL)(?:ED)?\b/i
        .exec(text)?.[1]
        ?.toUpperCase();
      return name ? [{ name, line, result, command: text.includes('`') }] : [];
    });
  const places = firstPlaces(items.map(({ name }) => name));
  const problems = [
    ...wanted.filter((name) => !places.has(name)).map((name) => problem(at, 'problem.criterion_missing', { name })),
    ...items.flatMap(({ name, line, result, command }, index) => [
      ...(result === undefined ? [problem(at, 'problem.criterion_result', { name, line })] : []),
      ...(result !== undefined && !command ? [problem(at, 'problem.criterion_command', { name, line })] : []),
      ...((places.get(name) ?? index) < index ? [problem(at, 'problem.criterion_twice', { name })] : []),
    ]),
  ];
  return { failed: items.filter(({ result }) => result === 'FAIL').map(({ name }) => name), problems };
}
