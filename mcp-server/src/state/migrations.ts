/** States of earlier versions, brought to the present form step by step. A newer one is not for this version to guess at. */

type Raw = Record<string, unknown>;

/** The schema that this version writes. */
export const SCHEMA = 1;

/** For each schema, what makes it the next one. The key `schema` itself is set afterwards. */
const steps: Record<number, (state: Raw) => Raw> = {
  // The drafts, in which the review could not send work back.
  0: (state) => ({ ...state, counters: { ...(state.counters as Raw), review_reverts: 0 } }),
};

/** What came later without another schema: an earlier version reads such a state as well, and one of its states lacks this. */
function withAdditions(state: Raw): Raw {
  const counters = state.counters as Raw | undefined;
  if (!counters) return state;
  const { design_revisions = 0, task_revisions = 0 } = counters;
  // What is there keeps its place: a state that lacks nothing is written again byte for byte.
  return { ...state, counters: { ...counters, design_revisions, task_revisions } };
}

/** @returns the state in the present schema; unchanged when it is not an older one, or no step is known */
export function migrate(state: Raw): Raw {
  let now = withAdditions(state);
  for (;;) {
    const from = now.schema;
    const step = typeof from === 'number' && from < SCHEMA ? steps[from] : undefined;
    if (!step) return now;
    now = { ...step(now), schema: Number(from) + 1 };
  }
}
