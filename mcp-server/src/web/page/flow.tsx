/** The flow as a line with stations: done, skipped, the present one, and the ways back that were taken. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { EventPage, FlowMap, SessionView, Station } from '../view.ts';
import { arc, type Layout, layOut, lines, RADIUS, turnsAt } from './flow-layout.ts';
import { groupOf } from './groups.ts';
import { presentIndex, type Standing, standingOf } from './standing.ts';
import { stepName, useWords } from './texts.ts';

interface Props {
  map: FlowMap;
  session: SessionView;
  events: EventPage | null;
}

/** What stands in a station's disc instead of its number. */
const MARKS: Partial<Record<Standing, string>> = { done: '✓', given_up: '!' };

/** As many letters as stand beside a turn of the line. */
const TURN_LETTERS = 9;

/** The ground reaches beyond its stations: the present one's name is bold, and wider than its cell. */
const ZONE_EDGE = 5;

/** Room above a single row for the arcs of ways back. */
const ARCS = 62;

function useWidth(): [{ current: HTMLDivElement | null }, number] {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setWidth(Math.floor(element.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [box, width];
}

function Stop({
  station,
  standing,
  layout,
  index,
  time,
}: {
  station: Station;
  standing: Standing;
  layout: Layout;
  index: number;
  time: string;
}) {
  const words = useWords();
  const point = layout.points[index] ?? { x: 0, y: 0 };
  const name = stepName(words, station.node);
  const said = [`${station.label} ${name}`, words.t(`web.standing.${standing}`), time].filter(Boolean).join(', ');
  const letters = Math.floor(layout.cell / 6.6);
  const shown = lines(name, turnsAt(layout, index) ? Math.min(letters, TURN_LETTERS) : letters);
  return (
    <li
      class={`stop ${standing} ${groupOf(station.step)} ${station.side ? 'side' : ''}`}
      aria-current={standing === 'now' ? 'step' : undefined}
      style={{ left: `${point.x - layout.cell / 2}px`, top: `${point.y - RADIUS}px`, width: `${layout.cell}px` }}
      title={said}
    >
      <span class="disc" aria-hidden="true">
        {MARKS[standing] ?? station.label}
      </span>
      <span class="hidden">{said}</span>
      <span class="name" aria-hidden="true">
        {shown.map((line) => (
          <span key={line}>{line}</span>
        ))}
      </span>
      {time && (
        <span class="time" aria-hidden="true">
          {time}
        </span>
      )}
    </li>
  );
}

interface Return {
  /** From station to station, by their nodes. */
  way: { from: string; to: string };
  count: number;
}

/** Ways back that were taken, as stations. */
function returnsTaken(map: FlowMap, returns: Record<string, number>): Return[] {
  return Object.entries(returns).flatMap(([key, count]) => {
    const [from, to] = key.split('>').map(Number);
    const start = map.stations.findLast(({ step }) => step === from);
    const end = map.stations.find(({ step }) => step === to);
    return start && end ? [{ way: { from: start.node, to: end.node }, count }] : [];
  });
}

function Arc({ way, count, map, layout }: Return & { map: FlowMap; layout: Layout }) {
  const indexOf = (node: string) => map.stations.findIndex((station) => station.node === node);
  const [from, to] = [layout.points[indexOf(way.from)], layout.points[indexOf(way.to)]];
  if (!from || !to) return null;
  const { path, top } = arc(from, to, ARCS);
  const tip = `${to.x - 4},${to.y - RADIUS - 10} ${to.x + 4},${to.y - RADIUS - 10} ${to.x},${to.y - RADIUS - 3}`;
  return (
    <g class={count > 0 ? 'arc taken' : 'arc'}>
      <path d={path} />
      <polygon points={tip} />
      {count > 0 && (
        <g transform={`translate(${top.x} ${top.y})`}>
          <rect x="-15" y="-9" width="30" height="18" rx="9" />
          <text dy="4">×{count}</text>
        </g>
      )}
    </g>
  );
}

/** The runs of neighbouring stations at which editing is open. */
function openZones(map: FlowMap, layout: Layout): { x: number; y: number; width: number }[] {
  const zones: { x: number; y: number; width: number; row: number; last: number }[] = [];
  map.stations.forEach(({ open }, index) => {
    const point = layout.points[index];
    if (!open || !point) return;
    const left = point.x - layout.cell / 2;
    const before = zones.at(-1);
    if (before && before.last === index - 1 && before.row === point.row) {
      const right = Math.max(before.x + before.width, left + layout.cell);
      before.x = Math.min(before.x, left);
      before.width = right - before.x;
      before.last = index;
    } else zones.push({ x: left, y: point.y, width: layout.cell, row: point.row, last: index });
  });
  return zones;
}

export function Flow({ map, session, events }: Props) {
  const words = useWords();
  const { t } = words;
  const [box, width] = useWidth();
  const returns = returnsTaken(map, events?.returns ?? {});
  const layout = layOut(map.stations.length, width, returns.length > 0 ? ARCS : 8);
  const present = presentIndex(map, session);
  const times = new Map(events?.durations.map(({ step, ms }) => [step, ms]));
  const timeOf = (station: Station, index: number) => {
    const first = map.stations.findIndex(({ step }) => step === station.step) === index;
    const ms = first ? (times.get(station.step) ?? 0) : 0;
    return ms >= 1000 ? words.span(ms) : '';
  };
  return (
    <section class="card flow" aria-labelledby="flow">
      <div class="head">
        <h2 id="flow">{t('web.flow.title')}</h2>
        <span class="quiet small">{t('web.flow.legend')}</span>
      </div>
      <div ref={box} class="flow-box" style={{ height: `${layout.height}px` }}>
        {width > 0 && (
          <>
            <svg width={layout.width} height={layout.height} aria-hidden="true">
              {openZones(map, layout).map(({ x, y, width: wide }) => (
                <rect
                  key={`${x} ${y}`}
                  class="zone"
                  x={Math.max(0, x - ZONE_EDGE)}
                  y={y - RADIUS - 8}
                  width={wide + ZONE_EDGE * 2}
                  height={RADIUS * 2 + 56}
                  rx="14"
                />
              ))}
              {layout.segments.map((path, index) => (
                <path key={path} class={index < present || !session.active ? 'track passed' : 'track'} d={path} />
              ))}
              {(layout.rows === 1 ? returns : []).map((taken) => (
                <Arc key={`${taken.way.from} ${taken.way.to}`} {...taken} map={map} layout={layout} />
              ))}
            </svg>
            <ol class="stops">
              {map.stations.map((station, index) => (
                <Stop
                  key={station.node}
                  station={station}
                  index={index}
                  layout={layout}
                  standing={standingOf(index, present, station, session)}
                  time={timeOf(station, index)}
                />
              ))}
            </ol>
          </>
        )}
      </div>
      {layout.rows > 1 && returns.length > 0 && (
        <ul class="returns">
          {returns.map(({ way, count }) => (
            <li key={`${way.from} ${way.to}`}>
              {t('web.flow.back', { from: stepName(words, way.from), to: stepName(words, way.to), count })}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
