import type { ArtifactFact, Task } from '../../../mcp-server/src/flow/types.ts';

/** An artifact that counts, handed in as the one of this number. */
export const fact = (seq: number, more: Partial<ArtifactFact> = {}): ArtifactFact => ({
  seq,
  fresh: true,
  hash: 'h',
  disk: 'h',
  verdict: null,
  ...more,
});

/** A pending task. */
export const task = (id: string, more: Partial<Task> = {}): Task => ({ id, description: id, status: 'pending', failure_count: 0, ...more });
