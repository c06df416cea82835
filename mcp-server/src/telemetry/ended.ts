/**
 * Sessions that ended and whose trace is to be sent, if the configuration names a collector. Sent after the answer is
 * settled and the lock is free; a collector that fails is a warning.
 */
import { createRequire } from 'node:module';
import path from 'node:path';
import manifest from '../../../.claude-plugin/plugin.json' with { type: 'json' };
import { pluginRoot } from '../cli/plugin-root.ts';
import type { MessageRef } from '../flow/types.ts';
import { withoutUserInfo } from '../messages/addresses.ts';
import { archivedSession } from '../state/archive.ts';
import { checkJournal } from '../state/check-journal.ts';
import { journalFile } from '../state/layout.ts';
import type { SessionFile } from '../state/session-file.ts';
import { traceOf } from './trace.ts';

interface Ended {
  root: string;
  session: string;
  endpoint: string;
}

type Exporter = typeof import('./exporter.ts');

/** A person waits for the answer meanwhile. */
const TIMEOUT_MS = 3000;

const ended: Ended[] = [];

/** Remembers a session that has just ended. Costs nothing where no collector is configured. */
export function noteEnded({ work_tree, session, config }: Pick<SessionFile, 'work_tree' | 'session' | 'config'>): void {
  const endpoint = config.telemetry?.otlp_endpoint ?? '';
  if (endpoint !== '') ended.push({ root: work_tree, session, endpoint });
}

async function send({ root, session, endpoint }: Ended): Promise<string | null> {
  try {
    const state = archivedSession(root, session);
    if (!state) return null;
    const file = path.join(pluginRoot(), 'plugin', 'telemetry.cjs');
    const { sendTrace } = createRequire(file)(file) as Exporter;
    const trace = traceOf(state, checkJournal(journalFile(root, session)).lines);
    return await sendTrace(trace, { endpoint, version: manifest.version, timeoutMs: TIMEOUT_MS });
  } catch (error) {
    return (error as Error).message;
  }
}

/** The collector's address in a message: neither user nor query, which may hold a key. */
const shown = (endpoint: string): string => withoutUserInfo(endpoint).replace(/\?.*$/s, '?***');

/** Sends what ended since the last call. @returns a warning for each that could not be sent; never throws */
export async function sendEnded(): Promise<MessageRef[]> {
  const due = ended.splice(0);
  const failures = await Promise.all(due.map(async (one) => ({ ...one, why: await send(one) })));
  return failures.flatMap(({ endpoint, why }) =>
    why === null
      ? []
      : [{ key: 'warning.telemetry_failed', params: { endpoint: shown(endpoint), detail: withoutUserInfo(why).slice(0, 300) } }],
  );
}
