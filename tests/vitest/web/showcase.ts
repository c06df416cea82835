/** Sessions to look at: a rich active one, and past ones. The files are written by the product's own functions. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Task } from '../../../mcp-server/src/flow/types.ts';
import { appendJournal } from '../../../mcp-server/src/state/journal.ts';
import { archivedState, sessionFolder, stateFile } from '../../../mcp-server/src/state/layout.ts';
import { type SessionFile, serialize } from '../../../mcp-server/src/state/session-file.ts';
import { emptyFolder } from '../git/sandbox.ts';
import { freshState } from '../state/store.ts';

/** Forty minutes ago, at a full second. */
const STARTED = Math.floor(Date.now() / 1000) * 1000 - 40 * 60_000;

const stamp = (at: number): string => new Date(at).toISOString().slice(0, 19).replaceAll('-', '').replaceAll(':', '').replace('T', '-');

export const ACTIVE = `${stamp(STARTED)}-a1b2c3`;

type Line = Record<string, unknown> & { event: string };

/** Lines with the seconds between them. */
type Script = readonly (readonly [number, Line])[];

export function writeJournal(root: string, session: string, start: number, script: Script): number {
  let at = start;
  const entries = script.map(([seconds, line]) => {
    at += seconds * 1000;
    return { at: new Date(at).toISOString(), rev: 1, ...line };
  });
  appendJournal(root, session, entries, new Date(at));
  return at;
}

const move = (step: number, phase: string, kind: string, to_step: number | null, to: string, more: Record<string, unknown> = {}): Line => ({
  event: 'transition',
  step,
  phase,
  kind,
  to_step,
  to,
  ...more,
});

const git = (event: string, effect: string, result: unknown = null): Line => ({ event, effect, result, step: 17, phase: 'PRE_COMMIT' });

const EXPLORE: Script = [
  [0, { event: 'start', step: 3, phase: 'DOCUMENT_RESEARCH', intent: 'IMPLEMENT' }],
  [42, move(3, 'DOCUMENT_RESEARCH', 'documents', 4, 'QUERY_FRAME')],
  [28, move(4, 'QUERY_FRAME', 'frame', 5, 'EXPLORATION')],
  [190, { event: 'block', step: 5, phase: 'EXPLORATION', guard: 'RG12', why: 'problem.evidence_not_run', params: { command: 'npm test' } }],
  [65, move(5, 'EXPLORATION', 'exploration', 6, 'Q1')],
  [12, move(6, 'Q1', 'q1', 7, 'SEMANTIC')],
  [75, move(7, 'SEMANTIC', 'semantic', 8, 'Q2')],
  [14, move(8, 'Q2', 'q2', 10, 'Q3')],
  [9, move(10, 'Q3', 'q3', 11, 'IMPACT_ANALYSIS')],
  [88, move(11, 'IMPACT_ANALYSIS', 'impact', 12, 'READY')],
];

const BUILD: Script = [
  [150, git('intent', 'create_branch')],
  [1, git('done', 'create_branch', { name: `readygate/${ACTIVE}` })],
  [0, move(12, 'READY', 'tasks', 13, 'READY')],
  [410, move(13, 'READY', 'report', 13, 'READY')],
  [260, move(13, 'READY', 'report', 14, 'READY')],
  [20, move(14, 'READY', 'finish', 15, 'POST_IMPL_VERIFY')],
  [133, move(15, 'POST_IMPL_VERIFY', 'verified', 12, 'READY')],
  [44, move(12, 'READY', 'tasks', 13, 'READY')],
];

const task = (id: string, description: string, more: Partial<Task> = {}): Task => ({
  id,
  description,
  status: 'pending',
  failure_count: 0,
  ...more,
});

const TASKS: Task[] = [
  task('retry-budget', 'Give every upstream call a retry budget of its own instead of the global counter', {
    status: 'completed',
    summary: 'RetryBudget in src/http/budget.ts; the global counter is gone',
    files: ['src/http/budget.ts', 'src/http/client.ts'],
  }),
  task('backoff', 'Full jitter in the backoff, and never longer than the caller’s deadline', {
    failure_count: 2,
    depends_on: ['retry-budget'],
    files: ['src/http/backoff.ts'],
  }),
  task('metrics', 'Count retries and exhausted budgets per upstream', { depends_on: ['retry-budget'] }),
  task('docs', 'Say in docs/http.md what is retried, how often, and what is not'),
];

const PRE_PLANNING = {
  request_understanding: {
    task_type: 'feature',
    primary_goal: 'Calls to a failing upstream stop hurting the healthy ones',
    expected_deliverables: ['retry budget per upstream', 'metrics', 'documentation'],
    constraints: ['no new dependency', 'public API unchanged'],
    scope: { in_scope: ['src/http/'], out_of_scope: ['the gRPC client'] },
    understanding_confidence: 0.86,
  },
  collected_information: {
    codebase: [
      {
        info_id: 'retry-loop',
        summary: 'One global counter limits all retries: an outage of one upstream uses it up for all',
        details: 'retryAll() in client.ts, called from 14 places',
        pointer: 'src/http/client.ts:88-131',
      },
      {
        info_id: 'tests',
        summary: 'The HTTP client has 61 tests; none fails an upstream',
        details: '',
        pointer: 'npm test -- http → exit 0',
      },
    ],
    context: [
      { info_id: 'style', summary: 'Errors are values here; nothing in src/http throws', details: '', pointer: 'docs/style.md:12' },
    ],
    external: [],
  },
  assumptions: [
    { info_id: 'budget-size', assumed_value: '10 % of calls in 10 s', reasoning: 'What the gateway in front uses', confidence: 0.62 },
    {
      info_id: 'idempotent',
      assumed_value: 'GET, PUT and DELETE only',
      reasoning: 'Nothing in the code retries POST today',
      confidence: 0.9,
    },
  ],
  information_gaps: [
    {
      info_id: 'slo',
      description: 'Latency that callers promise',
      impact: 'The upper bound of the backoff is a guess until somebody tells it',
    },
  ],
  recommendations_for_planning: ['Begin with the budget: backoff and metrics hang on it'],
};

export const ANALYSIS = `# Situation analysis

The client in \`src/http\` retries **every** failed call through one counter.

## Relevant files

| file | lines | role |
|---|---:|---|
| \`src/http/client.ts\` | 412 | request, retry, decode |
| \`src/http/backoff.ts\` | 38 | delay between tries |
| \`src/http/index.ts\` | 21 | what others import |

## Data flow

1. \`request()\` builds the call
2. \`retryAll()\` takes from the counter
   - empty counter: the error comes back at once
   - else: wait, try again
3. \`decode()\` reads the body

\`\`\`ts
export async function retryAll<T>(call: () => Promise<T>): Promise<T | Failure> {
  while (counter.take()) { /* … */ }
}
\`\`\`

> Nothing here looks at the deadline of the caller.

See [the retry budget of the gateway](https://example.com/retry-budget).
`;

const HOSTILE = `# Report

<script>window.pwned = 1</script>
<img src=x onerror="window.pwned = 2">

[click](javascript:window.pwned=3) and [data](data:text/html,<script>window.pwned=4</script>)
![beacon](http://127.0.0.1:9/beacon.png)

\`\`\`html
<script>window.pwned = 5</script>
\`\`\`
`;

/** Writes the active state of a root. */
export function writeState(root: string, state: SessionFile): void {
  mkdirSync(join(root, '.readygate'), { recursive: true });
  writeFileSync(stateFile(root), serialize(state));
}

/** A root with a session in the middle of its second round: returns, failures, artifacts, facts and guesses. */
export function showcase(more: Partial<SessionFile> = {}, root = emptyFolder('showcase')): string {
  const state = freshState(root, {
    session: ACTIVE,
    task: 'Give every upstream its own retry budget, so that one failing service cannot starve the others',
    node: 'READY_IMPLEMENT',
    phase: 'READY',
    step: 13,
    gate: 'open',
    git: { base: 'main', branch: `readygate/${ACTIVE}`, commits: [], merging: false },
    completed_steps: [1, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15],
    skipped_steps: [2, 9],
    tasks: TASKS,
    round: 2,
    failure: {
      from: 'POST_IMPL_VERIFY',
      reason: 'npm test: 2 of 64 fail\nbackoff > never waits past the deadline: waited 1 240 ms of 1 000 ms',
      failed_tasks: ['backoff'],
      highest: 2,
    },
    created: STARTED,
    last_activity: Date.now() - 42_000,
    ...more,
  });
  writeState(root, state);
  writeJournal(root, ACTIVE, STARTED, [...EXPLORE, ...BUILD]);
  const folder = sessionFolder(root, ACTIVE);
  writeFileSync(join(folder, 'pre_planning.json'), JSON.stringify(PRE_PLANNING));
  writeFileSync(join(folder, 'analysis.md'), ANALYSIS);
  writeFileSync(join(folder, 'report.md'), HOSTILE);
  return root;
}

/** The same session, waiting for the person after verification failed again and again. */
export const waiting = (root?: string): string =>
  showcase(
    {
      node: 'VERIFY_ESCALATION',
      phase: 'VERIFY_INTERVENTION',
      step: 16,
      gate: 'closed',
      rev: 31,
      completed_steps: [1, 3, 4, 5, 12, 13, 14, 15],
    },
    root,
  );

const OUTCOMES = ['completed', 'completed', 'completed_with_issues', 'investigated', 'aborted', 'completed'] as const;
const REQUESTS = [
  'Let an empty basket cost 0',
  'Why is the nightly build slow?',
  'Rename Order to Purchase',
  'Read the locale from the header',
];

/** Adds past sessions, one an hour; the newest ends before the active one begins. */
export function addPast(root: string, count: number): void {
  for (let index = 0; index < count; index++) {
    const started = STARTED - (count - index) * 3_600_000;
    const session = `${stamp(started)}-${index.toString(16).padStart(6, '0')}`;
    const pace = 0.4 + ((index * 7) % 11) / 6;
    const script = [...EXPLORE, ...BUILD.slice(0, 6)].map(([seconds, line]) => [Math.round(seconds * pace), line] as const);
    const last: Script = [
      [Math.round(120 * pace), move(15, 'POST_IMPL_VERIFY', 'verified', 17, 'PRE_COMMIT')],
      [Math.round(70 * pace), move(17, 'PRE_COMMIT', 'review', 18, 'QUALITY_REVIEW')],
      [Math.round(90 * pace), move(18, 'QUALITY_REVIEW', 'quality', 19, 'MERGE')],
      [5, move(19, 'MERGE', 'merge', null, 'SESSION_COMPLETE', { outcome: OUTCOMES[index % OUTCOMES.length] })],
    ];
    writeJournal(root, session, started, [...script, ...last]);
    const state = freshState(root, {
      session,
      task: REQUESTS[index % REQUESTS.length] ?? '',
      created: started,
      last_activity: started + 1_800_000,
      phase: 'SESSION_COMPLETE',
      node: 'MERGE',
      step: 19,
      outcome: OUTCOMES[index % OUTCOMES.length] ?? 'completed',
      completed_steps: [1, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 17, 18, 19],
      skipped_steps: [2, 9],
    });
    writeFileSync(archivedState(root, session), serialize(state));
  }
}
