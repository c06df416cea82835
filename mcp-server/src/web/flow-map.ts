/** The flow as something to draw: stations in walking order and the ways back, read off state/phases.json. */
import { type FlowNode, order, table } from '../flow/table.ts';
import type { FlowMap, Station } from './view.ts';

const LETTERS = 'abcdefgh';

const isSide = ({ skip }: FlowNode): boolean => skip.includes('always');

/**
 * The node that stands for a phase at a step: a phase may go through several (writing a plan, having it reviewed), and the
 * last of those that are walked in order is the one it is about.
 */
function standIns(pipeline: boolean): string[] {
  const groups = new Map<string, string[]>();
  for (const key of order) {
    const node = table.nodes[key];
    if (!node || (!pipeline && node.skip.includes('!pipeline'))) continue;
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

/** The map of this version's flow. @param pipeline whether the steps that only a pipeline takes belong to it */
export function flowMap(pipeline: boolean): FlowMap {
  const stations = standIns(pipeline).map((key) => {
    const node = table.nodes[key] as FlowNode;
    return { node: key, phase: node.phase, step: node.step, open: node.gate === 'open', side: isSide(node) };
  });
  return { stations: labelled(stations) };
}
