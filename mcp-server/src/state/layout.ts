/** Where everything of a session lies on disk (STATE.md). Paths only; nothing here touches a file. */
import path from 'node:path';

export const FOLDER = '.readygate';

export const folderOf = (root: string): string => path.join(root, FOLDER);
export const stateFile = (root: string): string => path.join(root, FOLDER, 'state.json');
export const lockFolder = (root: string): string => `${stateFile(root)}.lock`;
export const sessionsFolder = (root: string): string => path.join(root, FOLDER, 'sessions');
export const sessionFolder = (root: string, session: string): string => path.join(sessionsFolder(root), session);
export const archivedState = (root: string, session: string): string => path.join(sessionFolder(root, session), 'state.json');
export const baselineFile = (root: string, session: string): string => path.join(sessionFolder(root, session), 'baseline.json');
export const journalFile = (root: string, session: string): string => path.join(sessionFolder(root, session), 'journal.jsonl');
export const prePlanningFile = (root: string, session: string): string => path.join(sessionFolder(root, session), 'pre_planning.json');
export const issueFile = (root: string, session: string): string => path.join(sessionFolder(root, session), 'issue.json');
/** The two newest states in turn, so that one of them always belongs to the journal's last line. */
export const snapshotFile = (root: string, session: string, rev: number): string =>
  path.join(snapshotFolder(root, session), `${rev % 2}.json`);
export const snapshotFolder = (root: string, session: string): string => path.join(sessionFolder(root, session), 'snapshots');
export const discardFolder = (root: string, session: string, rev: number): string =>
  path.join(sessionFolder(root, session), 'discarded', String(rev));
export const stagedFolder = (root: string, session: string, rev: number): string =>
  path.join(sessionFolder(root, session), 'staged', String(rev));
export const indexFolder = (root: string): string => path.join(root, FOLDER, 'index');

/** Whether a name is one that `newSessionId` gives (session/start.ts): date, time, chance. */
export const isMadeSessionId = (text: string): boolean => /^\d{8}-\d{6}-[0-9a-f]{6}$/.test(text);

/** Session ids are made by the server; what comes from outside is checked before it becomes part of a path. */
export const isSessionId = (text: string): boolean => /^[0-9A-Za-z][0-9A-Za-z-]{2,63}$/.test(text);
