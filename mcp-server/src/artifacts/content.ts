/** What an artifact's text must hold (state/artifacts.json), and what is read out of it. Pure. */
import type { ArtifactRule } from '../flow/artifacts.ts';
import { problem } from '../flow/problem.ts';
import type { PlannedTask, Problem } from '../flow/types.ts';
import { itemsOf, type Line, linesOf, saysSomething, sectionNamed } from './markdown.ts';
import { criteriaOf, readCriteria, readTasks } from './plan.ts';

export interface Content {
  problems: Problem[];
  verdict: string | null;
  plan?: PlannedTask[];
  failed_criteria?: string[];
}

const at = '/content';

function headingProblems(lines: readonly Line[], { headings }: ArtifactRule): Problem[] {
  return headings.flatMap((title) => {
    const found = sectionNamed(lines, title);
    const [first] = found;
    if (!first) return [problem(at, 'problem.heading_missing', { heading: `## ${title}` })];
    if (found.length > 1) return [problem(at, 'problem.heading_twice', { heading: `## ${title}`, line: found[1]?.line ?? 0 })];
    return saysSomething(first) ? [] : [problem(at, 'problem.heading_empty', { heading: `## ${title}`, line: first.line })];
  });
}

const MARKS = '*_`';

/** No part of it can match what its neighbour matches, so that it never goes over a line twice. */
const VERDICT = /^[\s>#*_-]*verdict[\s*_]*[:：](.*)$/i;

/** A text without the blanks and the marks for bold, italics or code around it. */
function bare(text: string): string {
  const said = text.trim();
  let from = 0;
  let to = said.length;
  while (from < to && MARKS.includes(said.charAt(from))) from++;
  while (to > from && MARKS.includes(said.charAt(to - 1))) to--;
  return said.slice(from, to).trim();
}

function readVerdict(lines: readonly Line[], { verdicts }: ArtifactRule): { verdict: string | null; problems: Problem[] } {
  if (!verdicts) return { verdict: null, problems: [] };
  const words = [...verdicts.good, ...verdicts.bad].join(', ');
  const found = lines.flatMap(({ text, code, number }) => {
    const said = code ? undefined : VERDICT.exec(text)?.[1];
    return said === undefined ? [] : [{ number, said: bare(said) }];
  });
  const [first, second] = found;
  if (!first) return { verdict: null, problems: [problem(at, 'problem.verdict_missing', { words })] };
  if (second) return { verdict: null, problems: [problem(at, 'problem.verdict_twice', { first: first.number, second: second.number })] };
  const verdict = first.said.replace(/\.$/, '').toUpperCase();
  if ([...verdicts.good, ...verdicts.bad].includes(verdict)) return { verdict, problems: [] };
  return {
    verdict: null,
    problems: [problem(at, 'problem.verdict_unknown', { said: first.said.slice(0, 80), line: first.number, words })],
  };
}

/** An earlier finding that a second review calls settled is history, not a finding. */
const SETTLED = /\b(settled|resolved|fixed)\b|解決済|対応済/i;

/** Findings against the verdict: each has its severity, and the gravest goes with a bad verdict and with no other. */
function findingProblems(lines: readonly Line[], { headings, verdicts, severities = [] }: ArtifactRule, verdict: string | null): Problem[] {
  if (!verdicts || verdict === null) return [];
  const items = sectionNamed(lines, headings[0] ?? '').flatMap(itemsOf);
  const findings = items.filter(({ text }) => !/^none\b|^なし/i.test(text));
  const bad = verdicts.bad.includes(verdict);
  if (bad && findings.length === 0) return [problem(at, 'problem.verdict_no_finding', { verdict, heading: `## ${headings[0] ?? ''}` })];
  const [gravest] = severities;
  if (gravest === undefined) return [];
  const severityOf = (text: string) => severities.find((word) => new RegExp(`^[*_\`[]*${word}\\b`).test(text));
  const unmarked = findings.find(({ text }) => severityOf(text) === undefined);
  if (unmarked) return [problem(at, 'problem.finding_severity', { line: unmarked.line, words: severities.join(', ') })];
  const grave = findings.find(({ text }) => severityOf(text) === gravest && !SETTLED.test(text));
  if (grave && !bad) return [problem(at, 'problem.verdict_too_good', { verdict, severity: gravest, line: grave.line })];
  if (!grave && bad) return [problem(at, 'problem.verdict_too_bad', { verdict, severity: gravest })];
  return [];
}

/**
 * Checks an artifact's text.
 * @param tasks the text of tasks.md, where there is one: verification.md must answer its criteria
 * @returns everything wrong with it, and what was read out of it
 */
export function readContent(rule: ArtifactRule, text: string, tasks: string | null = null): Content {
  const lines = linesOf(text);
  const { verdict, problems: verdictProblems } = readVerdict(lines, rule);
  const problems = [...headingProblems(lines, rule), ...verdictProblems, ...findingProblems(lines, rule, verdict)];
  if (rule.form === 'tasks') {
    const read = readTasks(lines);
    return { problems: [...problems, ...read.problems], verdict, plan: read.plan };
  }
  if (rule.form === 'criteria') {
    const read = readCriteria(lines, tasks === null ? [] : criteriaOf(linesOf(tasks)));
    return { problems: [...problems, ...read.problems], verdict, failed_criteria: read.failed };
  }
  return { problems, verdict };
}
