/** What the page is sent: plain JSON, the same types on both sides. Times are epoch milliseconds, durations milliseconds. */
export type Language = 'en' | 'ja';

/** A stop of the drawing. */
export interface Station {
  /** Key of the node in state/phases.json. */
  node: string;
  phase: string;
  step: number;
  /** Where the step has several stations, which of them: `4a`, else the step's number. */
  label: string;
  /** Editing is open here. */
  open: boolean;
  /** A side road that is only taken when something went wrong. */
  side: boolean;
}

export interface FlowMap {
  stations: Station[];
}

export interface TaskView {
  id: string;
  description: string;
  status: 'pending' | 'completed';
  failures: number;
  summary: string;
  depends_on: string[];
  files: string[];
  fixes: string[];
}

export interface SessionView {
  session: string;
  rev: number;
  /** Hash of the plan that waits for an approval, which a decision on it names; null where none waits. */
  plan: string | null;
  /** Still going on. */
  active: boolean;
  task: string;
  intent: string;
  pipeline: boolean;
  flags: string[];
  phase: string;
  step: number;
  node: string;
  gate: 'open' | 'closed';
  override: string | null;
  outcome: string | null;
  created: number;
  last_activity: number;
  branch: string | null;
  base: string | null;
  commits: number;
  completed: number[];
  skipped: number[];
  /** Phases of step 4 that were skipped, whatever became of the step. */
  passed_by: string[];
  /** Phases of step 4 that the session went on without: no payload ever fitted. */
  given_up: string[];
  tasks: TaskView[];
  task_count: number;
  tasks_done: number;
  next_task: string | null;
  task_limit: number;
  failure: { from: string; reason: string } | null;
  conflict: string[];
  assessments: { name: string; answer: boolean; reason: string }[];
  warnings: string[];
  /** Whether a question to the person is open in the client. */
  asked: boolean;
  /** What the person can decide now. */
  decisions: ('approve' | 'revise' | 'decide' | 'abort')[];
}

export interface Overview {
  project: string;
  root: string;
  /** Whether this dashboard may carry decisions at all. */
  may_decide: boolean;
  /** The active session, which need not be the one shown. */
  active: string | null;
  session: SessionView | null;
  /** Why a state that is there cannot be shown. */
  problem: string | null;
  map: FlowMap;
}

export const CATEGORIES = ['step', 'back', 'block', 'person', 'git', 'other'] as const;
export type Category = (typeof CATEGORIES)[number];

/** One line of the journal. */
export interface EventRow {
  seq: number;
  at: number;
  category: Category;
  event: string;
  step: number | null;
  /** Where it happened, and where it led to: keys of nodes. */
  node: string;
  to: string;
  to_step: number | null;
  /** Kind of the payload, effect of git, guard: what exactly. */
  what: string;
  /** Free text of the line: a reason, a commit, an error. */
  detail: string;
  /** Time since the phase was entered, for lines that leave it. */
  took: number | null;
}

export interface EventPage {
  session: string;
  /** Newest first. */
  rows: EventRow[];
  /** Older rows of this choice are left. */
  more: boolean;
  counts: Record<Category, number>;
  total: number;
  last_seq: number;
  /** Returns that were taken, `15>12`, with their number. */
  returns: Record<string, number>;
  durations: StepTime[];
  /** The journal does not fit together from a line on. */
  broken: boolean;
}

export interface StepTime {
  step: number;
  ms: number;
}

export interface PastSession {
  session: string;
  task: string;
  outcome: string | null;
  /** Null where the journal does not tell. */
  started: number | null;
  ms: number;
  times: StepTime[];
  tasks: number;
  returns: number;
  blocks: number;
}

export interface PastPage {
  sessions: PastSession[];
  total: number;
  /** The id to ask on with; null at the end. */
  next: string | null;
}

export interface Fact {
  id: string;
  category: string;
  summary: string;
  details: string;
  pointer: string;
}

export interface Knowledge {
  understanding: {
    task_type: string;
    goal: string;
    confidence: number | null;
    deliverables: string[];
    constraints: string[];
    in_scope: string[];
    out_of_scope: string[];
  } | null;
  facts: Fact[];
  assumptions: { id: string; value: string; reasoning: string; confidence: number | null }[];
  gaps: { id: string; description: string; impact: string }[];
  recommendations: string[];
}

export interface ArtifactName {
  name: string;
  bytes: number;
  modified: number;
}

export interface ArtifactText {
  name: string;
  text: string;
  /** Only the beginning is shown. */
  cut: boolean;
}

/** Sent whenever something on disk changed; each part is a stamp that the page compares with the one before. */
export interface Tick {
  state: string;
  journal: string;
  folder: string;
  past: string;
}

export interface DecisionAnswer {
  done: boolean;
  message: string;
}
