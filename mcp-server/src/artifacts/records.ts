/** What was handed in, by the journal, against what lies in the session's folder now. */
import fs from 'node:fs';
import path from 'node:path';
import { MAX_ARTIFACT_BYTES, ruleOf } from '../flow/artifacts.ts';
import type { ArtifactFact } from '../flow/types.ts';
import { type JournalLine, linesSince, sha256 } from '../state/journal.ts';
import { sessionFolder } from '../state/layout.ts';
import { readContent } from './content.ts';

/** The user's words, written for agents at the start of a pipeline session. */
export const REQUEST = 'request.md';

/** One artifact that was handed in, as the journal has it. */
export interface ArtifactLine extends JournalLine {
  event: 'artifact';
  name: string;
  hash: string;
  verdict: string | null;
  agent: string | null;
  agent_id: string | null;
}

const isArtifact = (line: JournalLine): line is ArtifactLine => line.event === 'artifact' && typeof line.name === 'string';

/** Every artifact that was handed in, in order. */
export const artifactLines = (root: string, session: string): ArtifactLine[] => linesSince(root, session, 0).filter(isArtifact);

/** The text of an artifact, or null when there is none that could be one. */
export function artifactText(root: string, session: string, name: string): string | null {
  const file = path.join(sessionFolder(root, session), name);
  try {
    const stat = fs.lstatSync(file);
    return stat.isFile() && stat.size <= MAX_ARTIFACT_BYTES ? fs.readFileSync(file, 'utf8') : null;
  } catch {
    return null;
  }
}

/**
 * The newest record of each artifact.
 * @param since the revision since which a record counts as fresh
 */
export function artifactFacts(root: string, session: string, since: number): Record<string, ArtifactFact> {
  const newest = new Map(artifactLines(root, session).map((line) => [line.name, line]));
  const facts: Record<string, ArtifactFact> = {};
  for (const [name, { seq, rev, hash, verdict }] of newest) {
    const found = ruleOf(name);
    if (!found) continue;
    const text = artifactText(root, session, name);
    const fact: ArtifactFact = { seq, fresh: rev >= since, hash, disk: text === null ? null : sha256(text), verdict };
    const read = found.rule.form && text !== null && fact.disk === hash ? readContent(found.rule, text) : null;
    facts[name] = {
      ...fact,
      ...(read?.plan ? { plan: read.plan } : {}),
      ...(read?.failed_criteria ? { failed_criteria: read.failed_criteria } : {}),
    };
  }
  return facts;
}

/** Files of a session's folder that agents may be pointed to. */
export function inputNames(root: string, session: string): string[] {
  try {
    const names = fs.readdirSync(sessionFolder(root, session));
    return names.filter((name) => name === REQUEST || name === 'pre_planning.json' || ruleOf(name) !== null).sort();
  } catch {
    return [];
  }
}
