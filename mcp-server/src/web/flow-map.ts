/** The flow as something to draw: stations in walking order and the ways back, read off state/phases.json. */
import { order, table } from '../flow/table.ts';
import type { FlowMap, Station, WayBack } from './view.ts';

const LETTERS = 'abcdefgh';

/** Stations that share a step are told apart by letters; the first keeps the number alone. */
function labelled(stations: Omit<Station, 'label'>[]): Station[] {
  return stations.map((station, index) => {
    const before = stations.slice(0, index).filter(({ step }) => step === station.step).length;
    return { ...station, label: before === 0 ? String(station.step) : `${station.step}${LETTERS[before - 1] ?? ''}` };
  });
}

function waysBack(drawn: readonly string[]): WayBack[] {
  const found: WayBack[] = [];
  for (const [from, node] of Object.entries(table.nodes)) {
    for (const { to } of node.accepts.flatMap((accept) => accept.next)) {
      const back = order.includes(to) && order.indexOf(to) < order.indexOf(from);
      const start = drawn.includes(from) ? from : drawn.find((key) => table.nodes[key]?.step === node.step);
      if (back && start && !found.some((way) => way.from === start && way.to === to)) found.push({ from: start, to });
    }
  }
  return found;
}

/** The map of this version's flow. */
export function flowMap(): FlowMap {
  const drawn = order.filter((key) => !table.nodes[key]?.escalation);
  const stations = drawn.map((key) => {
    const node = table.nodes[key];
    return { node: key, step: node?.step ?? 0, open: node?.gate === 'open', side: node?.skip.includes('always') ?? false };
  });
  return { stations: labelled(stations), back: waysBack(drawn) };
}
