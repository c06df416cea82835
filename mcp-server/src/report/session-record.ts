/** Everything that is on disk about one session, for a report. */
import { archivedSession } from '../state/archive.ts';
import { type CheckedJournal, checkJournal } from '../state/check-journal.ts';
import type { JournalLine } from '../state/journal.ts';
import { journalFile } from '../state/layout.ts';
import { isPlainFile } from '../state/plain-file.ts';
import { readState, type SessionFile } from '../state/session-file.ts';
import { artifactsIn, artifactText, readHandOver } from '../state/session-texts.ts';
import { visitsOf } from '../state/visits.ts';

export interface PhaseTime {
  phase: string;
  step: number;
  /** Milliseconds, all visits together. */
  ms: number;
  visits: number;
}

export interface SessionRecord {
  session: string;
  state: SessionFile | null;
  journal: CheckedJournal;
  phases: PhaseTime[];
  artifacts: { name: string; text: string }[];
  planning: PrePlanning | null;
}

/** What pre_planning.json holds, as far as a report shows it. */
export interface PrePlanning {
  facts: { id: string; text: string; source: string }[];
  assumptions: { id: string; value: string; reasoning: string; confidence: string }[];
  gaps: { id: string; description: string; impact: string }[];
}

/** A larger artifact is cut: a report is read in a browser. */
const MAX_ARTIFACT_CHARS = 200_000;

type Tree = Record<string, unknown>;
const treeOf = (value: unknown): Tree => (typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Tree) : {});
const listOf = (value: unknown): Tree[] => (Array.isArray(value) ? value.map(treeOf) : []);
const text = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);

function factOf({ info_id, summary, pointer }: Tree): PrePlanning['facts'][number] {
  return { id: text(info_id), text: text(summary), source: text(pointer) };
}

function planningIn(root: string, session: string): PrePlanning | null {
  const file = readHandOver(root, session);
  if (!file) return null;
  try {
    const tree = treeOf(JSON.parse(file.text));
    const result = 'pre_planning_result' in tree ? treeOf(tree.pre_planning_result) : tree;
    const collected = treeOf(result.collected_information);
    return {
      facts: ['codebase', 'context', 'external'].flatMap((category) => listOf(collected[category]).map(factOf)),
      assumptions: listOf(result.assumptions).map((one) => ({
        id: text(one.info_id),
        value: text(one.assumed_value),
        reasoning: text(one.reasoning),
        confidence: text(one.confidence),
      })),
      gaps: listOf(result.information_gaps).map((one) => ({
        id: text(one.info_id),
        description: text(one.description),
        impact: text(one.impact),
      })),
    };
  } catch {
    return null; // damaged: a report shows the rest
  }
}

function artifactTexts(root: string, session: string): SessionRecord['artifacts'] {
  const names = artifactsIn(root, session).map(({ name }) => name);
  return names.sort().flatMap((name) => {
    const found = artifactText(root, session, name);
    return found ? [{ name, text: found.text.slice(0, MAX_ARTIFACT_CHARS) }] : [];
  });
}

/** Time spent in each step of each phase, all visits together: READY has three. */
function phaseTimes(lines: readonly JournalLine[]): PhaseTime[] {
  const times = new Map<string, PhaseTime>();
  for (const { phase, step, from, to } of visitsOf(lines)) {
    const key = `${step} ${phase}`;
    const before = times.get(key) ?? { phase, step, ms: 0, visits: 0 };
    times.set(key, { ...before, ms: before.ms + to - from, visits: before.visits + 1 });
  }
  return [...times.values()].sort((one, other) => one.step - other.step);
}

/** @returns null when there is no journal of this session */
export function readRecord(root: string, session: string): SessionRecord | null {
  const file = journalFile(root, session);
  if (!isPlainFile(file)) return null;
  const active = readState(root);
  const state = active.kind === 'present' && active.state.session === session ? active.state : archivedSession(root, session);
  const journal = checkJournal(file);
  const [artifacts, planning] = [artifactTexts(root, session), planningIn(root, session)];
  return { session, state, journal, phases: phaseTimes(journal.lines), artifacts, planning };
}
