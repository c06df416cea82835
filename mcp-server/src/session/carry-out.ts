/**
 * Effects that survive the end of the process: each stands between an intent and a done line in the journal, and the same
 * payload sent again finds what was done and finishes it (STATE.md, Journal and effects).
 */
import type { Decision } from '../flow/engine.ts';
import type { ChangedFileFact, Facts } from '../flow/types.ts';
import { GitFailed } from '../git/failure.ts';
import { currentBranch, currentHead } from '../git/repository.ts';
import { type Fence, Fenced } from '../state/fence.ts';
import { type Begun, type Intent, lastBegun } from '../state/intents.ts';
import type { SessionFile } from '../state/session-file.ts';
import type { Edge } from './edge.ts';
import { type Carried, carryOutAll } from './effects.ts';
import { repositoryOf } from './facts.ts';
import { note } from './note.ts';

/**
 * Looks whether an earlier process ended in the middle of an effect, and records what git shows of it.
 * @returns what was begun at this revision, for the submission that follows @throws GitFailed
 */
export async function settle(edge: Edge, state: SessionFile): Promise<Intent | null> {
  const begun: Begun | null = lastBegun(state.work_tree, state.session, state.rev);
  if (!begun) return null;
  if (begun.cutOff) {
    const { effect, parent } = begun.intent;
    // A repository that git refuses must not keep the user from ending the session.
    const shown = Promise.all([currentHead(state.work_tree), currentBranch(state.work_tree)]);
    const [head, branch] = await shown.catch((error: unknown) => (error instanceof GitFailed ? [null, null] : Promise.reject(error)));
    note(state, edge, { event: 'recovered', effect, head, branch, moved: head !== parent });
  }
  return begun.intent;
}

function union<Item>(now: readonly Item[] | undefined, then: readonly Item[] | undefined, key: (item: Item) => string): Item[] {
  const known = new Set((now ?? []).map(key));
  return [...(now ?? []), ...(then ?? []).filter((item) => !known.has(key(item)))];
}

/** The facts as the first attempt at the same payload saw them, with what has come since. */
export function factsThen(facts: Facts, { facts: then }: Intent): Facts {
  const merged: Facts = { ...facts };
  if (facts.changed || then.changed) merged.changed = union<ChangedFileFact>(facts.changed, then.changed, ({ path }) => path);
  if (facts.equal_to_base || then.equal_to_base) merged.equal_to_base = union(facts.equal_to_base, then.equal_to_base, (file) => file);
  return merged;
}

export interface Order {
  edge: Edge;
  fence: Fence;
  state: SessionFile;
  decision: Decision;
  facts: Facts;
  /** Hash of the payload. */
  payload: string;
  /** What an earlier attempt began at this revision. */
  earlier: Intent | null;
}

/** Carries out a decision's effects in order. @throws Fenced, GitFailed at the first that fails */
export async function carryOut({ edge, fence, state, decision, facts, payload, earlier }: Order): Promise<Carried> {
  const all: Carried = { results: {}, notes: [] };
  if (decision.effects.length === 0) return all;
  const repo = await repositoryOf(state);
  if (!repo) throw new GitFailed('the session has no repository', { command: ['git', 'rev-parse'], stderrTail: 'no git repository' });
  const [head, branch] = await Promise.all([currentHead(repo.root), currentBranch(repo.root)]);
  const before = {
    payload,
    parent: earlier?.parent ?? head,
    branch: earlier?.branch ?? branch,
    facts: { ...(facts.changed ? { changed: facts.changed } : {}), ...(facts.equal_to_base ? { equal_to_base: facts.equal_to_base } : {}) },
  };
  for (const effect of decision.effects) {
    // A process that slept and lost its place must not act on git, either.
    if (!fence.holds) throw new Fenced();
    note(state, edge, { event: 'intent', effect: effect.do, ...before });
    try {
      const { results, notes } = await carryOutAll([effect], state, repo, before.parent);
      Object.assign(all.results, results);
      all.notes.push(...notes);
    } catch (error) {
      note(state, edge, { event: 'failed', effect: effect.do, why: (error as Error).message.slice(0, 300) });
      throw error;
    }
    note(state, edge, { event: 'done', effect: effect.do, result: all.results[effect.do] ?? null });
  }
  return all;
}
