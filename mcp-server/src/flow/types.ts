/** What the pure engine reads and writes. Everything here is JSON: it is what state.json holds. */
import type { Config } from '../config/config.ts';
import type { PrePlanning } from '../pre-planning/types.ts';

export type Intent = 'IMPLEMENT' | 'MODIFY' | 'INVESTIGATE' | 'QUESTION';

export type Outcome =
  | 'completed'
  | 'completed_with_issues'
  | 'accepted_unverified'
  | 'investigated'
  | 'verified'
  | 'verification_failed'
  | 'nothing_to_do'
  | 'aborted';

/** Effective flags of a session, after parsing, mapping and conflicts (FLOW.md, Flags). */
export interface Flags {
  gate: 'full' | 'auto';
  fast: boolean;
  quick: boolean;
  'no-verify': boolean;
  'no-quality': boolean;
  'no-doc': boolean;
  'doc-research': string[];
  'no-intervention': boolean;
  'no-pre-planning': boolean;
  'only-explore': boolean;
  'only-verify': boolean;
  clean: boolean;
  rebuild: boolean;
  approve: boolean;
}

export interface Task {
  id: string;
  description: string;
  status: 'pending' | 'completed';
  failure_count: number;
  /** Failed reviews of the task in this round (pipeline). */
  review_fails?: number;
  revert_reason?: string;
  fixes?: string[];
  files?: string[];
  depends_on?: string[];
  /** The implementer's summary, once reported. */
  summary?: string;
  /** The round (see SessionState.round) in which it was last completed. */
  completed_round?: number;
}

export interface Counters {
  intervention_count: number;
  quality_revert_count: number;
  verify_failures: number;
  exploration_reverts: number;
  merge_reverts: number;
  review_reverts: number;
  /** How often the review sent the design back in this round, and the task list (pipeline). */
  design_revisions: number;
  task_revisions: number;
}

interface Assessment {
  answer: boolean;
  reason: string;
}

/** Why the flow came back to step 12 or 5. `highest` is the highest failure count among the tasks that failed verification. */
export interface Failure {
  from: string;
  reason: string;
  failed_tasks: string[];
  highest: number;
}

/** Git's side of a session; null when the work tree has none. */
export interface SessionGit {
  /** The branch the session started on; the task branch is merged into it. */
  base: string | null;
  /** The task branch once it exists. */
  branch: string | null;
  /** Commits made by this session, oldest first. */
  commits: string[];
  /** A merge of the base into the task branch waits for PRE_COMMIT. */
  merging: boolean;
}

/** A message in the message files, with the values of its placeholders. */
export interface MessageRef {
  key: string;
  params?: Record<string, string | number>;
}

export interface SessionState {
  gate: 'open' | 'closed';
  phase: string;
  step: number;
  session: string;
  rev: number;
  schema: 1;
  /** Key of the node in state/phases.json. */
  node: string;
  intent: Intent;
  request: string;
  /** The request without its leading flags. */
  task: string;
  flags: Flags;
  pipeline: boolean;
  /** Absolute path of the work tree's root. */
  work_tree: string;
  git: SessionGit | null;
  completed_steps: number[];
  skipped_steps: number[];
  assessments: { q1?: Assessment; q2?: Assessment; q3?: Assessment };
  tasks: Task[];
  /** One more with every return to step 12; tasks completed in the present round are those "completed since the last plan". */
  round: number;
  failure: Failure | null;
  counters: Counters;
  accepted_unverified: boolean;
  open_issues: boolean;
  /** Conflicting files of the last merge attempt. */
  conflict: string[];
  outcome: Outcome | null;
  /** The user opened the gate for the rest of this phase (/readygate:override). */
  override: { reason: string; phase: string; step: number } | null;
  /** Revision since which artifacts of the present phase count; at 12 to 14, of the present round. Kept by the edge. */
  since?: number;
  /** Hash of the tasks.md that the user took against its review; absent where there is none. */
  accepted_tasks?: string | null;
  /** Hash of the plan that the user approved; absent in states of earlier versions. */
  approved_plan?: string | null;
  /** Hash of the plan that was put to the user for approval. */
  shown_plan?: string | null;
  /** .readygate/config.yml as it was when the session began. */
  config: Config;
  /** The issue that the session is about; `key` is the same for every way to write it. A state of an earlier version has none. */
  issue?: { key: string; url: string } | null;
  /** What steps 4a to 4c brought; null before them, absent in a state of an earlier version. */
  pre_planning?: PrePlanning | null;
  /** The user's own prompt, where a hook reported it. */
  user_prompt: string | null;
  /** Said once in the session's summary, e.g. a flag that was dropped. */
  warnings: MessageRef[];
  /** Step and hash of the last accepted submission, to know a repeated one. */
  last_submission: { step: number; hash: string } | null;
}

export interface StaleBranchFact {
  name: string;
  base: string | null;
  ahead: number;
  last_commit: string;
  dirty: boolean;
  checked_out: boolean;
}

export interface ChangedFileFact {
  path: string;
  status: 'added' | 'modified' | 'deleted';
  /** The file was the user's (dirty at start) and the session changed it. */
  users: boolean;
}

/** An earlier session on the same issue. */
export interface EarlierSession {
  session: string;
  task: string;
  outcome: string;
}

/** A task as tasks.md has it. */
export interface PlannedTask {
  id: string;
  description: string;
  files: string[];
  depends_on: string[];
}

/** What is known of an artifact that was handed in (state/artifacts.json). */
export interface ArtifactFact {
  /** The order in which artifacts were handed in. */
  seq: number;
  /** Handed in since the present phase began; at 12 to 14, since the present round did. */
  fresh: boolean;
  /** Hash of what was handed in, and of what lies on the disk now; null when the file is gone. */
  hash: string;
  disk: string | null;
  verdict: string | null;
  /** The tasks of tasks.md. */
  plan?: PlannedTask[];
  /** Criteria that verification.md reports as failed. */
  failed_criteria?: string[];
}

/** What the edge looked up before the engine decides. A fact that a node does not ask for is absent. */
export interface Facts {
  stale?: StaleBranchFact[];
  changed?: ChangedFileFact[];
  /** Where the host was started, below the work tree's top: files may be named from there. */
  folder?: string;
  /** While merging: changed files that equal the base and need no review. */
  equal_to_base?: string[];
  interventions?: string[];
  /** Payloads in a row that this phase refused. */
  failed_attempts?: number;
  /** Local files that a payload points at: number of lines, `folder`, or null where there is none. */
  files?: Record<string, number | 'folder' | null>;
  /** The issue as it was read, fenced and cut. */
  issue?: string;
  earlier_sessions?: EarlierSession[];
  /** By name; only in a pipeline session. */
  artifacts?: Record<string, ArtifactFact>;
  /** Names of the files in the session's folder that agents may read. */
  inputs?: string[];
  /** Roles of which an agent is at work right now. */
  at_work?: string[];
  /** The user's own words, or the configuration, ask for a pull request. */
  pull_request_wanted?: boolean;
}

export interface ReviewedFile {
  path: string;
  decision: 'keep' | 'discard';
  reason?: string;
}

/** Work for the edge, carried out in order before the new state is written. */
export type Effect =
  | { do: 'resolve_stale'; choice: 'delete' | 'merge' | 'continue' }
  | { do: 'create_branch' }
  | { do: 'drop_branch' }
  | { do: 'discard'; files: ReviewedFile[] }
  | { do: 'commit'; files: string[]; message: string; merging: boolean }
  | { do: 'merge'; strategy: 'merge' | 'leave_branch' | 'pull_request' }
  | { do: 'merge_base' };

/** What the effects brought, folded into the state by the moves. */
export interface EffectResults {
  /** `branch` is the one checked out afterwards; `adopted` the stale one that the session goes on with. */
  resolve_stale?: { branch: string; adopted: { name: string; base: string } | null; incomplete: boolean; notes: string[] };
  create_branch?: { name: string; base: string };
  drop_branch?: { dropped: boolean };
  discard?: { saved: string | null };
  /** `status`: there was nothing to commit. `staged`: versions that were only staged, and where their copies are; `unnamable`: left out, their names are not UTF-8. */
  commit?: { commit: string | null; status?: 'nothing'; staged?: { path: string; kept: string }[]; unnamable?: string[] };
  /** `nothing`: the session committed nothing, so its branch was only removed. */
  merge?: {
    status: 'merged' | 'nothing' | 'left' | 'opened' | 'conflict' | 'blocked';
    files: string[];
    commit: string | null;
    note: string;
  };
  merge_base?: { status: 'clean' | 'conflict'; files: string[] };
}

/** One thing wrong with a payload: where (JSON pointer), what, and what is right, as message keys. */
export interface Problem {
  pointer: string;
  message: MessageRef;
}

export type ErrorCode =
  | 'payload_mismatch'
  | 'no_session'
  | 'session_active'
  | 'session_complete'
  | 'guard_blocked'
  | 'git_failed'
  | 'lock_timeout'
  | 'state_corrupt'
  | 'unknown_flag'
  | 'bad_arguments'
  | 'storage_failed'
  /** A defect of ours. */
  | 'internal';

export interface FlowError {
  error: ErrorCode;
  message: MessageRef;
  problems: Problem[];
  guard?: string;
}

export type Payload = Record<string, unknown>;
