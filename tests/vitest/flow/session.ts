/** A session that lives only in the engine: frozen states, facts and git results as a test says, a sensible model's payloads. */

import { expect } from 'vitest';
import { settle } from '../../../mcp-server/src/config/config.ts';
import { artifactRules, owedNames } from '../../../mcp-server/src/flow/artifacts.ts';
import { advance, type Decision, decide, start } from '../../../mcp-server/src/flow/engine.ts';
import { isFlowError, type ParsedRequest, parseRequest } from '../../../mcp-server/src/flow/flags.ts';
import { COMPLETE, mainAccept, nodeOf, order } from '../../../mcp-server/src/flow/table.ts';
import { nextTask } from '../../../mcp-server/src/flow/tasks.ts';
import type {
  ArtifactFact,
  ChangedFileFact,
  EffectResults,
  Facts,
  FlowError,
  Intent,
  MessageRef,
  Payload,
  SessionGit,
  SessionState,
  StaleBranchFact,
  Task,
} from '../../../mcp-server/src/flow/types.ts';
import { template } from '../../../mcp-server/src/messages/messages.ts';

const ON_MAIN: SessionGit = { base: 'main', branch: null, commits: [], merging: false };

export const STALE: StaleBranchFact = {
  name: 'readygate/old',
  base: 'main',
  ahead: 1,
  last_commit: '2026-01-01T00:00:00Z',
  dirty: false,
  checked_out: false,
};

export const changedFile = (path: string): ChangedFileFact => ({ path, status: 'modified', users: false });

export const FACTS: Facts = { changed: [changedFile('src/a.ts')], interventions: ['hypothesis_review', 'step_back'] };

/** What git answers when nothing goes wrong. */
export const GIT_GOES_WELL: EffectResults = {
  resolve_stale: { branch: 'main', adopted: null, incomplete: false, notes: [] },
  create_branch: { name: 'readygate/s1', base: 'main' },
  drop_branch: { dropped: true },
  discard: { saved: 'sessions/s1/discarded' },
  commit: { commit: 'c0ffee' },
  merge: { status: 'merged', files: [], commit: 'beef', note: '' },
  merge_base: { status: 'conflict', files: ['src/a.ts'] },
};

export const CONFLICT: EffectResults = { merge: { status: 'conflict', files: ['src/a.ts'], commit: null, note: '' } };
export const BLOCKED: EffectResults = { merge: { status: 'blocked', files: ['notes.txt'], commit: null, note: 'in the way' } };

/** The nodes that only a pipeline session enters; explore-pipeline.test.ts walks them. */
export const PIPELINE_NODES: readonly string[] = order.filter((key) =>
  /^(READY_(DESIGN|DECOMPOSE|TASKS|REVIEW)|INVESTIGATION_REPORT)/.test(key),
);

/** Every artifact of a state as agents hand them in when all goes well; `verdicts` by name where one is another. */
export function handedIn(state: SessionState, verdicts: Record<string, string> = {}): Record<string, ArtifactFact> {
  const names = artifactRules.flatMap(({ name }) =>
    name.includes('{task}') ? state.tasks.map(({ id }) => name.replace('{task}', id)) : [name],
  );
  const good = (name: string) =>
    artifactRules.find((rule) => rule.name === name.replace(/-(?!design|tasks|review)[^.]+\./, '-{task}.'))?.verdicts?.good[0];
  return Object.fromEntries(
    names.map((name, index): [string, ArtifactFact] => [
      name,
      { seq: index + 1, fresh: true, hash: 'h', disk: 'h', verdict: verdicts[name] ?? good(name) ?? null },
    ]),
  );
}

/** A mutation of frozen input throws, so that every test also proves the engine pure. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

export interface Beginning {
  request?: string;
  intent?: Intent;
  flags?: Record<string, unknown>;
  stale?: StaleBranchFact[];
  git?: SessionGit | null;
  pipeline?: boolean;
}

/** The request as the engine reads it. Fails the test when it is refused. */
export function parse(request: string, intent: Intent = 'IMPLEMENT', flags: Record<string, unknown> = {}): ParsedRequest {
  const parsed = parseRequest(request, intent, deepFreeze(flags));
  if (isFlowError(parsed)) throw new Error(`refused: ${JSON.stringify(parsed)}`);
  expectSayable(parsed.warnings);
  return parsed;
}

/** The first state of a session. */
export function beginning({
  request = 'do it',
  intent = 'IMPLEMENT',
  flags = {},
  stale = [],
  git = ON_MAIN,
  pipeline = false,
}: Beginning = {}): SessionState {
  const parsed = parse(request, intent, flags);
  const input = {
    session: 's1',
    intent,
    request,
    parsed,
    pipeline,
    work_tree: '/repo',
    git,
    user_prompt: null,
    config: settle({}).config,
  };
  return deepFreeze(start(input, { stale }).state);
}

export interface Around {
  facts?: Facts;
  results?: EffectResults;
}

export const pending = (id: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  id,
  description: `do ${id}`,
  status: 'pending',
  ...more,
});

export const completed = (id: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  ...pending(id, more),
  status: 'completed',
});

const REASON = 'everything was read already';

/** A request that is understood, as far as `more` does not say otherwise. */
export const understanding = (more: Record<string, unknown> = {}): Payload => ({
  request_understanding: {
    task_type: 'feature',
    primary_goal: 'do it',
    expected_deliverables: ['the change'],
    constraints: [],
    scope: { in_scope: ['one file'], out_of_scope: [] },
    understanding_confidence: 0.9,
    ambiguities: [],
    ...more,
  },
});

/** One piece of information that 4b may want. */
export const need = (id: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  id,
  category: 'codebase',
  description: `where ${id} stands`,
  purpose: `to know what ${id} touches`,
  collection_method: { tool: 'Grep', parameters: { pattern: id } },
  fallback_strategy: 'read the folder',
  can_assume: true,
  default_assumption: 'in the module of that name',
  ...more,
});

export const collected = (id: string, pointer: unknown = 'npm ls: exit 0'): Record<string, unknown> => ({
  info_id: id,
  status: 'collected',
  collected_data: { summary: `${id} is known`, pointer },
  tool_calls_used: 1,
});

/** What a sensible model sends at each node when nothing goes wrong and nothing more is needed. */
export function usual(state: SessionState): Payload {
  const payloads: Record<string, () => Payload> = {
    BRANCH_INTERVENTION: () => ({ choice: 'continue' }),
    DOCUMENT_RESEARCH: () => ({ documents_reviewed: [] }),
    QUERY_FRAME: () => ({ action_type: 'add', target_symbols: [], scope: 'one file', constraints: [] }),
    REQUEST_UNDERSTANDING: () => understanding(),
    INFORMATION_PLANNING: () => ({ information_needs: { required_information: [need('callers')] } }),
    INFORMATION_COLLECTION: () => ({
      collection_results: state.pre_planning?.items.filter(({ status }) => status === 'open').map(({ id }) => collected(id)),
    }),
    EXPLORATION: () => ({ explored_files: ['a.ts'], findings: ['none'] }),
    Q1: () => ({ needs_more_information: false, reason: REASON }),
    SEMANTIC: () => ({ search_results: ['none'] }),
    Q2: () => ({ has_unverified_hypotheses: false, reason: REASON }),
    VERIFICATION: () => ({ hypotheses_verified: [{ hypothesis: 'h', result: 'confirmed', evidence: 'a.ts:1' }] }),
    Q3: () => ({ needs_impact_analysis: false, reason: REASON }),
    IMPACT_ANALYSIS: () => ({ impact_summary: { affected_files: ['a.ts'], risks: ['none known'] } }),
    READY_PLAN: () => ({ tasks: [pending(`t${state.tasks.length + 1}`)] }),
    READY_IMPLEMENT: () => ({ task_id: nextTask(state.tasks)?.id, summary: 'done' }),
    READY_FINISH: () => ({}),
    POST_IMPL_VERIFY: () => ({ passed: true, details: 'npm test: 3 passed' }),
    VERIFY_INTERVENTION: () => ({ prompt_used: 'step_back', action_taken: 'started smaller' }),
    READY_APPROVAL: () => ({ user_approval: 'approve' }),
    READY_DESIGN_ESCALATION: () => ({ user_decision: 'retry' }),
    READY_TASKS_ESCALATION: () => ({ user_decision: 'retry' }),
    VERIFY_ESCALATION: () => ({ user_decision: 'accept' }),
    PRE_COMMIT: () => ({ reviewed_files: ['src/a.ts'], commit_message: 'Add it' }),
    QUALITY_REVIEW: () => ({ quality_score: 90, issues: [] }),
    MERGE: () => ({}),
  };
  // A phase of a pipeline session that only waits for an artifact.
  const [artifact] = owedNames(mainAccept(nodeOf(state.node)).artifact ?? [], state);
  const payload = payloads[state.node] ?? (artifact === undefined ? undefined : () => ({ artifact }));
  if (!payload) throw new Error(`no usual payload for ${state.node}`);
  return payload();
}

/** That each of these messages is one, in both languages, with a value for every placeholder. */
function expectSayable(messages: readonly MessageRef[]): void {
  for (const { key, params = {} } of messages)
    for (const language of ['en', 'ja'] as const) {
      const unfilled = [...template(key, language).matchAll(/\{([a-z_]+)\}/g)].filter(([, name]) => !((name as string) in params));
      expect(
        unfilled.map(([all]) => all),
        `${key} (${language})`,
      ).toEqual([]);
    }
}

/** That everything a refusal says can be said. */
export function expectClear({ message, problems }: FlowError): void {
  expectSayable([message, ...problems.map((each) => each.message)]);
}

export class Session {
  state: SessionState;
  /** Nodes visited, the present one last; a completed session ends with its outcome. */
  readonly trail: string[];
  warnings: MessageRef[] = [];
  effects: string[] = [];
  complete = false;

  constructor(given: Beginning | SessionState = {}) {
    this.state = 'node' in given ? deepFreeze(given) : beginning(given);
    this.trail = [this.state.node];
  }

  /** What the engine decides, on frozen input; the state stays. */
  decide(payload: Payload, { facts = FACTS }: Around = {}): Decision | FlowError {
    return decide(this.state, deepFreeze(payload), deepFreeze(facts));
  }

  /** Submits a payload that must be accepted. */
  send(payload: Payload, { facts = FACTS, results = {} }: Around = {}): this {
    const decision = this.decide(payload, { facts });
    if (isFlowError(decision)) throw new Error(`${this.state.node} refused ${JSON.stringify(payload)}: ${JSON.stringify(decision)}`);
    this.effects = decision.effects.map((effect) => effect.do);
    const answers = Object.entries({ ...GIT_GOES_WELL, ...results }).filter(([name]) => this.effects.includes(name));
    const reached = advance(this.state, deepFreeze(decision), deepFreeze(Object.fromEntries(answers)), facts);
    this.state = deepFreeze(reached.state);
    this.warnings = reached.warnings;
    expectSayable(reached.warnings);
    this.complete = reached.complete;
    this.trail.push(this.state.phase === COMPLETE ? String(this.state.outcome) : this.state.node);
    return this;
  }

  /** Submits a payload that must be refused. */
  refused(payload: Payload, around: Around = {}): FlowError {
    const before = JSON.stringify(this.state);
    const decision = this.decide(payload, around);
    if (!isFlowError(decision)) throw new Error(`${this.state.node} accepted ${JSON.stringify(payload)}`);
    expect(JSON.stringify(this.state)).toBe(before);
    expectClear(decision);
    return decision;
  }

  /** Pointers of what is wrong, each with its message key. */
  problems(payload: Payload, around: Around = {}): [string, string][] {
    return this.refused(payload, around).problems.map(({ pointer, message }) => [pointer, message.key]);
  }

  usual(around: Around = {}): this {
    return this.send(usual(this.state), around);
  }

  /** Goes on as usual until it stands at this node, or is complete. */
  to(node: string): this {
    for (let left = 40; left > 0; left--) {
      if (this.complete || this.state.node === node) break;
      this.usual();
    }
    if (node !== COMPLETE) expect(this.state.node).toBe(node);
    else expect(this.complete).toBe(true);
    return this;
  }

  end(): this {
    return this.to(COMPLETE);
  }

  task(id: string): Task {
    const task = this.state.tasks.find((candidate) => candidate.id === id);
    if (!task) throw new Error(`no task ${id}`);
    return task;
  }

  /** From step 12 or 13: plans these tasks, reports all that are pending and stands at step 15 (or after it). */
  implement(tasks: Record<string, unknown>[], more: Record<string, unknown> = {}): this {
    this.to('READY_PLAN').send({ tasks, ...more });
    while (this.state.node === 'READY_IMPLEMENT') this.usual();
    return this.usual();
  }

  fail(failed_tasks?: string[]): this {
    return this.send({ passed: false, details: 'npm test: 1 failed', ...(failed_tasks ? { failed_tasks } : {}) });
  }

  warningKeys(): string[] {
    return this.warnings.map(({ key }) => key);
  }
}
