/** The PostToolUse and PostToolUseFailure hooks' call: one line into the ledger of the session that the call belongs to. */
import fs from 'node:fs';
import path from 'node:path';
import { findSessionRoot } from '../guards/session-view.ts';
import { isSessionId, stateFile } from '../state/layout.ts';
import { entryOf, type LedgerEntry, type ToolFields } from './entry.ts';
import { appendLedger } from './ledger.ts';
import { takeShown } from './shown.ts';

/** What is needed of the server's edge. */
export interface ToolEdge {
  /** The folder the host was started in. */
  projectDir: string;
  now: () => Date;
  /** Roots of sessions that this server works on besides, such as linked work trees. */
  roots?: readonly string[];
}

const GATE_LINE_BYTES = 512;

/** The id in the gate line; undefined for what is no state file. Only the first bytes are read: this runs after every tool call. */
function activeSession(root: string): string | undefined {
  try {
    const handle = fs.openSync(stateFile(root), 'r');
    try {
      const bytes = Buffer.alloc(GATE_LINE_BYTES);
      const line = bytes.toString('utf8', 0, fs.readSync(handle, bytes, 0, bytes.length, 0));
      const session = /^\{"gate":"[a-z]+","phase":"[A-Z0-9_]+","step":\w+,"session":"([^"\\]+)"/.exec(line)?.[1];
      return session !== undefined && isSessionId(session) ? session : undefined;
    } finally {
      fs.closeSync(handle);
    }
  } catch {
    return undefined;
  }
}

const MOST_SHOWN = 200;

/** The server's own tools know what they showed; their paths start at the work tree's root, wherever the host stands. */
function withShown(entry: LedgerEntry, call: string): LedgerEntry {
  const shown = takeShown(call);
  if (!shown || !entry.ok) return entry;
  return { ...entry, cwd: shown.root, paths: shown.paths.slice(0, MOST_SHOWN).map((file) => path.join(shown.root, file)) };
}

/** Where the file lies tells best which work tree a call was for; then where the host stood; then where it began. */
function foldersOf(edge: ToolEdge, { path: file, cwd }: LedgerEntry): string[] {
  const near = file && path.isAbsolute(file) ? [path.dirname(file)] : [];
  return [...near, cwd, edge.projectDir, ...(edge.roots ?? [])];
}

/**
 * Writes down a tool call that ended. Without a session nothing is written.
 * @returns whether a line was written; never throws, since a hook must not disturb the tool it follows
 */
export function onTool(edge: ToolEdge, fields: ToolFields): boolean {
  try {
    const said = entryOf(fields, edge.now().getTime());
    if (!said) return false;
    const entry = withShown(said, String(fields.tool_use_id ?? ''));
    for (const folder of new Set(foldersOf(edge, entry))) {
      const root = findSessionRoot(folder);
      const session = root === undefined ? undefined : activeSession(root);
      if (root === undefined || session === undefined) continue;
      appendLedger(root, session, entry);
      return true;
    }
    return false;
  } catch (error) {
    process.stderr.write(`readygate: the evidence ledger was not written: ${(error as Error).message}\n`);
    return false;
  }
}
