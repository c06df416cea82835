/** A real repository with a running server, and a model that answers each phase as a sensible one would. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeRepository, type Sandbox } from '../git/sandbox.ts';
import { type Answer, Host, type HostOptions } from '../server/host.ts';

export type Payload = Record<string, unknown>;

/** A payload, or what makes one from the answer that asks for it. */
type Reply = unknown | ((answer: Answer) => unknown);

/** Where an answer stands: `EXPLORATION`, `READY.plan`, `VERIFY_INTERVENTION.escalation`. */
export function placeOf(answer: Answer): string {
  if (answer.escalation === true) return `${answer.phase}.escalation`;
  return answer.substep ? `${answer.phase}.${answer.substep}` : answer.phase;
}

/** A person's project: a repository on `main` with one commit, or a plain folder. */
export class World {
  readonly box: Sandbox;
  readonly edits: Record<string, string>;

  /** `edits` are made while the first task is implemented. */
  constructor(box: Sandbox = makeRepository(), edits: Record<string, string> = { 'hello.txt': 'hello\n' }) {
    this.box = box;
    this.edits = edits;
  }

  get root(): string {
    return this.box.root;
  }

  host(options: Partial<HostOptions> = {}): Promise<Host> {
    return Host.start({ project: this.root, ...options });
  }

  path(...parts: string[]): string {
    return join(this.root, '.readygate', ...parts);
  }

  /** The bytes of state.json, or null when there is none. */
  bytes(): string | null {
    return existsSync(this.path('state.json')) ? readFileSync(this.path('state.json'), 'latin1') : null;
  }

  state(): Record<string, unknown> & {
    session: string;
    rev: number;
    git: { branch: string | null; base: string | null; commits: string[] };
  } {
    return JSON.parse(readFileSync(this.path('state.json'), 'utf8'));
  }

  sessions(): string[] {
    return existsSync(this.path('sessions')) ? readdirSync(this.path('sessions')).sort() : [];
  }

  journal(session: string): Record<string, unknown>[] {
    const text = readFileSync(this.path('sessions', session, 'journal.jsonl'), 'utf8');
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Changed files as git sees them. */
  changed(): string[] {
    const records = this.box.git('status', '--porcelain', '-z', '--untracked-files=all', '--no-renames').split('\0');
    return [...new Set(records.filter(Boolean).map((record) => record.slice(3)))];
  }

  edit(): void {
    for (const [path, content] of Object.entries(this.edits)) this.box.write(path, content);
  }
}

/** What a sensible model sends at each place of a session. */
export function usualReply(world: World, answer: Answer): Payload {
  const place = placeOf(answer);
  switch (place) {
    case 'BRANCH_INTERVENTION':
      return { choice: 'continue' };
    case 'DOCUMENT_RESEARCH':
      return { documents_reviewed: [] };
    case 'QUERY_FRAME':
      return { action_type: 'add', target_symbols: ['hello'], scope: 'one file', constraints: [] };
    case 'REQUEST_UNDERSTANDING.4a':
      // A small request: what 4b would ask is answered along with it.
      return {
        request_understanding: {
          task_type: 'feature',
          primary_goal: 'a greeting',
          expected_deliverables: ['hello.txt'],
          constraints: [],
          scope: { in_scope: ['one file'], out_of_scope: [] },
          understanding_confidence: 0.9,
          ambiguities: [],
        },
        information_needs: { skip_collection: true, skip_reason: 'simple_task' },
      };
    case 'EXPLORATION':
      return { explored_files: ['readme.md'], findings: ['there is no greeting yet'] };
    case 'Q1':
      return { needs_more_information: true, reason: 'earlier greetings may exist' };
    case 'SEMANTIC':
      return { search_results: ['none'] };
    case 'Q2':
      return { has_unverified_hypotheses: true, reason: 'not run yet' };
    case 'VERIFICATION':
      return { hypotheses_verified: [{ hypothesis: 'no greeting', result: 'confirmed', evidence: 'readme.md:1' }] };
    case 'Q3':
      return { needs_impact_analysis: true, reason: 'the readme names it' };
    case 'IMPACT_ANALYSIS':
      return { impact_summary: { affected_files: ['readme.md'], risks: ['none known'] } };
    case 'READY.plan':
      return { tasks: [{ id: 'greet', description: 'add the greeting', status: 'pending' }] };
    case 'READY.implement':
      world.edit();
      return { task_id: (answer.next_task as { id: string }).id, summary: 'added' };
    case 'READY.finish':
      return {};
    case 'POST_IMPL_VERIFY':
      return { passed: true, details: 'npm test: 3 passed' };
    case 'VERIFY_INTERVENTION':
      return { prompt_used: 'step_back', action_taken: 'started smaller' };
    case 'VERIFY_INTERVENTION.escalation':
      return { user_decision: 'abort' };
    case 'PRE_COMMIT':
      return { reviewed_files: world.changed(), commit_message: 'Add a greeting' };
    case 'QUALITY_REVIEW':
      return { quality_score: 90, issues: [] };
    case 'MERGE':
      return {};
    default:
      throw new Error(`nothing to say at ${place}: ${answer.message ?? ''}`);
  }
}

export interface Walk {
  /** The places that were answered, in order. */
  trail: string[];
  answer: Answer;
}

export interface WalkOptions {
  /** Stops before answering at this place. */
  until?: string;
  /** Instead of the usual reply. A list is used up one by one, then the usual reply again. */
  replies?: Record<string, Reply | Reply[]>;
  /** Called before each answer is sent. */
  before?: (answer: Answer) => Promise<Host | undefined> | Host | undefined;
}

function replyFor(world: World, answer: Answer, replies: Record<string, Reply | Reply[]>): unknown {
  const given = replies[placeOf(answer)];
  const reply = Array.isArray(given) ? given.shift() : given;
  if (reply === undefined) return usualReply(world, answer);
  return typeof reply === 'function' ? (reply as (answer: Answer) => unknown)(answer) : reply;
}

/** Answers phase after phase until the session is complete, or stands at `until`. An error ends the walk, too. */
export async function walk(world: World, host: Host, from: Answer, { until, replies = {}, before }: WalkOptions = {}): Promise<Walk> {
  const trail: string[] = [];
  let answer = from;
  let server = host;
  while (answer.error === undefined && answer.phase !== 'SESSION_COMPLETE' && placeOf(answer) !== until) {
    if (trail.length > 300) throw new Error(`the session does not end: ${trail.slice(-20).join(' ')}`);
    trail.push(placeOf(answer));
    server = (await before?.(answer)) ?? server;
    answer = await server.submit(replyFor(world, answer, replies));
  }
  return { trail, answer };
}

/** Starts a session and walks it to a place. */
export async function sessionAt(
  world: World,
  host: Host,
  until: string,
  request = 'add a greeting',
  options: WalkOptions = {},
): Promise<Answer> {
  const { answer } = await walk(world, host, await host.start(request), { ...options, until });
  if (placeOf(answer) !== until) throw new Error(`stands at ${placeOf(answer)}, not ${until}: ${answer.message ?? ''}`);
  return answer;
}
