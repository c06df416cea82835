/** Guard RG12: what a payload claims to have looked at, against what the session's ledger shows. Pure but for the TreeView. */
import type { Payload } from '../flow/types.ts';
import { globFolder } from './file-glob.ts';
import { evidenceProblems, pointerProblemsOf } from './hypotheses.ts';
import { type ClaimProblem, claimProblem, type Looked } from './looked.ts';
import { nameIn, placeOf } from './named-place.ts';
import { absolutePath } from './seen.ts';

/** The kinds of payload whose claims are checked, by the name that state/phases.json gives the check. */
export type ClaimKind = 'documents' | 'exploration' | 'hypotheses' | 'collection';

/** A glob was looked at when the folder all its matches lie in was, or is a folder on the way. */
function globSeen(glob: string, { seen, view, bases }: Looked): boolean {
  return bases.some((base) => {
    const folder = absolutePath(globFolder(glob), base, view.home);
    return view.kind(folder) === 'folder' && seen.folder(folder);
  });
}

function entryProblem(entry: unknown, pointer: string, looked: Looked): ClaimProblem[] {
  const named = nameIn(entry);
  if (!named) return [claimProblem(pointer, 'problem.evidence_no_path', {}, false)];
  const at = pointer + named.key;
  const { seen, view, bases } = looked;
  const place = placeOf(named.text, bases, view);
  switch (place.kind) {
    case 'missing':
      return [claimProblem(at, 'problem.evidence_missing_file', { path: place.name }, false)];
    case 'url':
      return seen.url(place.url) ? [] : [claimProblem(at, 'problem.evidence_unread_url', { url: place.url }, true)];
    case 'glob':
      return globSeen(place.glob, looked) ? [] : [claimProblem(at, 'problem.evidence_unread_folder', { path: place.glob }, true)];
    case 'folder':
      return seen.folder(place.path) ? [] : [claimProblem(at, 'problem.evidence_unread_folder', { path: place.path }, true)];
    default:
      return seen.file(place.path) ? [] : [claimProblem(at, 'problem.evidence_unread', { path: place.path }, true)];
  }
}

function listProblems(list: unknown, key: string, looked: Looked): ClaimProblem[] {
  return Array.isArray(list) ? list.flatMap((entry, index) => entryProblem(entry, `/${key}/${index}`, looked)) : [];
}

/**
 * Everything in a payload that the ledger does not bear out.
 * @param data a payload that its schema has accepted
 */
export function claimProblems(kind: ClaimKind, data: Payload, looked: Looked): ClaimProblem[] {
  switch (kind) {
    case 'documents':
      return listProblems(data.documents_reviewed, 'documents_reviewed', looked);
    case 'exploration':
      return listProblems(data.explored_files, 'explored_files', looked);
    case 'hypotheses':
      return evidenceProblems(data.hypotheses_verified, looked);
    case 'collection':
      return pointerProblemsOf(data.collection_results, looked);
  }
}
