/** Reading an issue through gh or glab, where the user has them. */
import { type Issue, readIssue } from './issue.ts';
import { runProgram } from './programs.ts';
import type { IssueReference } from './reference.ts';

export type IssueRead = { issue: Issue; program: 'gh' | 'glab' } | { detail: string };

function argumentsFor(program: 'gh' | 'glab', { url, host, project, number, programs }: IssueReference): string[] {
  if (program === 'gh') {
    // The short form names no host: gh knows its own.
    const which = programs.length > 1 ? [String(number), '--repo', project] : [url];
    return ['issue', 'view', ...which, '--json', 'title,body,labels,comments,state'];
  }
  const repo = host === 'gitlab.com' || programs.length > 1 ? project : `https://${host}/${project}`;
  return ['issue', 'view', String(number), '--repo', repo, '--comments', '--output', 'json'];
}

/** Reads an issue by the first program that can. Never throws; `detail` says why nothing could. */
export async function fetchIssue(reference: IssueReference, cwd: string): Promise<IssueRead> {
  const details: string[] = [];
  for (const program of reference.programs) {
    const ran = await runProgram(program, argumentsFor(program, reference), { cwd });
    if (!ran.ok) {
      details.push(ran.detail);
      continue;
    }
    const issue = readIssue(ran.stdout);
    if (issue) return { issue, program };
    details.push(`${program}: no issue in its answer`);
  }
  return { detail: details.join('; ') };
}
