/** How far an index came. */
export interface Progress {
  /** Files of the work tree that the index holds, or has skipped. */
  indexed: number;
  total: number;
  /** Files that changed and are not read again yet. */
  pending: number;
}
