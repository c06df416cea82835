/** Sessions of the engine alone at steps 4a to 4c, and what is sent there. */
import { expect } from 'vitest';
import { settle } from '../../../mcp-server/src/config/config.ts';
import type { Facts, Payload } from '../../../mcp-server/src/flow/types.ts';
import type { Item, PrePlanning } from '../../../mcp-server/src/pre-planning/types.ts';
import { FACTS, Session } from '../flow/session.ts';

export const FILES: Facts = { ...FACTS, files: { 'src/a.ts': 12, src: 'folder', 'gone.ts': null } };
export const UNUSED_UP: Facts = { ...FILES, failed_attempts: 2 };
export const USED_UP: Facts = { ...FILES, failed_attempts: 3 };

export interface Configured {
  pre_planning?: Record<string, unknown>;
  enabled?: boolean;
}

/** A session at this node, with this configuration. */
export function at(node: string, planning: Configured = {}): Session {
  const session = new Session().to('QUERY_FRAME');
  const { config, warnings } = settle({ planning });
  expect(warnings).toEqual([]);
  return new Session({ ...session.state, config }).usual().to(node);
}

export const plan = (...needs: Record<string, unknown>[]): Payload => ({ information_needs: { required_information: needs } });

/** A session at 4c with these needs. */
export const collecting = (needs: Record<string, unknown>[], planning: Configured = {}): Session =>
  at('INFORMATION_PLANNING', planning).send(plan(...needs));

export const results = (...collection_results: Record<string, unknown>[]): Payload => ({ collection_results });
export const failed = (info_id: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  info_id,
  status: 'failed',
  tool_calls_used: 1,
  ...more,
});
export const assumed = (info_id: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  info_id,
  status: 'assumed',
  assumption: { assumed_value: 'camelCase', reasoning: 'the other modules do so', confidence: 0.8, ...more },
});

export function preOf(session: Session): PrePlanning {
  const pre = session.state.pre_planning;
  if (!pre) throw new Error('no pre-planning');
  return pre;
}

export function item(session: Session, id: string): Item {
  const found = preOf(session).items.find((candidate) => candidate.id === id);
  if (!found) throw new Error(`no item ${id}`);
  return found;
}

export const statuses = (session: Session): Record<string, string> =>
  Object.fromEntries(preOf(session).items.map(({ id, status }) => [id, status]));
