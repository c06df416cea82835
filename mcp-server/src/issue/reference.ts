/** References to issues: a URL, or owner/repo#number. Pure. */

export interface IssueReference {
  /** The same for every way to write it. */
  key: string;
  url: string;
  /** The programs that may know it, the likeliest first. */
  programs: ('gh' | 'glab')[];
  host: string;
  /** owner/repo, or group/…/project. */
  project: string;
  number: number;
}

const GITHUB = /^(https?):\/\/([\w.:-]+)\/([\w.-]+\/[\w.-]+)\/(?:issues|pull)\/(\d{1,9})(?:[/?#].*)?$/i;
const GITLAB = /^(https?):\/\/([\w.:-]+)\/([\w.-]+(?:\/[\w.-]+)+)\/-\/(?:issues|work_items|merge_requests)\/(\d{1,9})(?:[/?#].*)?$/i;
const SHORT = /^([\w][\w.-]*(?:\/[\w.-]+)+)#(\d{1,9})$/;

const reference = (programs: IssueReference['programs'], host: string, project: string, number: string, url: string): IssueReference => ({
  key: `${host}/${project}#${Number(number)}`.toLowerCase(),
  url,
  programs,
  host,
  project,
  number: Number(number),
});

/** The reference once a program has read the issue: owner/repo#number alone does not tell which forge it is on. */
export function knownBy(program: 'gh' | 'glab', found: IssueReference): IssueReference {
  if (program === 'gh' || found.programs.length === 1) return found;
  return parseIssue(`https://gitlab.com/${found.project}/-/issues/${found.number}`) ?? found;
}

/** Whether somebody's words name this issue, in any of the ways to write it. */
export function namesIssue(words: string, { project, number, host }: IssueReference): boolean {
  return words.split(/[\s()<>"'`、。，「」]+/).some((word) => {
    const bare = word.replace(/[.,;:!?]+$/, '');
    const named = parseIssue(bare);
    const same = named !== null && named.project.toLowerCase() === project.toLowerCase() && named.number === number;
    return same && (named.host === host || SHORT.test(bare));
  });
}

/** @returns null when the text is no reference to an issue */
export function parseIssue(text: string): IssueReference | null {
  const given = text.trim();
  const gitlab = GITLAB.exec(given);
  if (gitlab) {
    const [, scheme = '', host = '', project = '', number = ''] = gitlab;
    return reference(['glab'], host.toLowerCase(), project, number, `${scheme.toLowerCase()}://${host}/${project}/-/issues/${number}`);
  }
  const github = GITHUB.exec(given);
  if (github) {
    const [, scheme = '', host = '', project = '', number = ''] = github;
    // Older GitLab addresses have no "/-/".
    const programs: IssueReference['programs'] = /gitlab/i.test(host) ? ['glab'] : ['gh'];
    return reference(programs, host.toLowerCase(), project, number, `${scheme.toLowerCase()}://${host}/${project}/issues/${number}`);
  }
  const short = SHORT.exec(given);
  if (!short) return null;
  const [, project = '', number = ''] = short;
  // A project in nested groups is none of GitHub's.
  if (project.split('/').length > 2)
    return reference(['glab'], 'gitlab.com', project, number, `https://gitlab.com/${project}/-/issues/${number}`);
  return reference(['gh', 'glab'], 'github.com', project, number, `https://github.com/${project}/issues/${number}`);
}
