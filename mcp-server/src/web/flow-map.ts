/** The flow as something to draw: stations in walking order and the ways back, read off state/phases.json. */
import { holds } from '../flow/conditions.ts';
import { type FlowNode, order, table } from '../flow/table.ts';
import type { SessionState } from '../flow/types.ts';
import type { FlowMap, Station } from './view.ts';

const LETTERS = 'abcdefgh';

const isSide = ({ skip }: FlowNode): boolean => skip.includes('always');

/** Kinds of session that have steps of their own. */
const KINDS = ['pipeline', 'investigation'];

/** Steps that no session of this kind ever takes do not belong on its map. */
function isForeign({ skip }: FlowNode, state: SessionState | null): boolean {
  const moment = state && { state, data: {}, facts: {}, results: {} };
  return KINDS.some((kind) => skip.includes(`!${kind}`) && !(moment && holds(kind, moment)));
}

/**
 * The node that stands for a phase at a step: a phase may go through several (writing a plan, having it reviewed), and the
 * last of those that are walked in order is the one it is about.
 */
function standIns(foreign: (node: FlowNode) => boolean): string[] {
  const groups = new Map<string, string[]>();
  for (const key of order) {
    const node = table.nodes[key];
    if (!node || foreign(node)) continue;
    const group = `${node.step} ${node.phase}`;
    groups.set(group, [...(groups.get(group) ?? []), key]);
  }
  return [...groups.values()].map((keys) => keys.findLast((key) => !isSide(table.nodes[key] as FlowNode)) ?? keys[0] ?? '');
}

/** Stations that share a step are told apart by letters; the first keeps the number alone. */
function labelled(stations: Omit<Station, 'label'>[]): Station[] {
  return stations.map((station, index) => {
    const before = stations.slice(0, index).filter(({ step }) => step === station.step).length;
    return { ...station, label: before === 0 ? String(station.step) : `${station.step}${LETTERS[before - 1] ?? ''}` };
  });
}

/** The station of a phase at a step; a phase that this version does not know stands for itself. */
export function stationOf(phase: unknown, step: unknown): string | null {
  return standIns(() => false).find((key) => table.nodes[key]?.phase === phase && table.nodes[key]?.step === step) ?? null;
}

/** The map of this version's flow. @param state the session that it is for */
export function flowMap(state: SessionState | null): FlowMap {
  const stations = standIns((node) => isForeign(node, state)).map((key) => {
    const node = table.nodes[key] as FlowNode;
    return { node: key, phase: node.phase, step: node.step, open: node.gate === 'open', side: isSide(node) };
  });
  return { stations: labelled(stations) };
}
