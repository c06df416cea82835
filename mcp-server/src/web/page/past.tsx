/** Past sessions: time per group of phases, as columns and as a list. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PastSession } from '../view.ts';
import { GROUPS, timeByGroup } from './groups.ts';
import type { Past } from './store.ts';
import { useWords } from './texts.ts';

interface Props {
  past: Past | null;
  more: () => Promise<void>;
  shown: string | null;
}

const HEIGHT = 180;
const LEFT = 48;
const BOTTOM = 22;
const LEAST_COLUMN = 11;
const MOST_COLUMNS = 60;
/** Columns that are wide enough together for a label at each end. */
const BOTH_LABELS = 90;

const MINUTE = 60_000;
/** Steps that people count in. */
const TICKS = [1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 1440, 2880, 10_080].map((minutes) => minutes * MINUTE);

function tickFor(most: number): number {
  return TICKS.find((tick) => most / tick <= 4) ?? most;
}

/** One column drawn out of all proportion hides the others: it is cut, and marked. */
function scaleFor(sessions: readonly PastSession[]): number {
  const sorted = sessions.map(({ ms }) => ms).sort((a, b) => a - b);
  const most = sorted.at(-1) ?? 0;
  const usual = sorted[Math.floor(sorted.length * 0.9)] ?? 0;
  return Math.max(MINUTE, most > usual * 3 && usual > 0 ? usual * 1.5 : most);
}

function Column({ past, x, width, scale, shown }: { past: PastSession; x: number; width: number; scale: number; shown: boolean }) {
  const { t, span, short } = useWords();
  const said = [past.task || past.session, past.started === null ? '' : short(past.started), span(past.ms)].filter(Boolean).join(', ');
  let top = HEIGHT;
  return (
    <a
      href={`#session=${past.session}`}
      class={shown ? 'column-link shown' : 'column-link'}
      aria-label={t('web.past.open', { what: said })}
    >
      <title>{said}</title>
      <rect class="hit" x={x} y={0} width={width} height={HEIGHT} />
      {timeByGroup(past.times).map(({ group, ms }) => {
        const height = (ms / scale) * (HEIGHT - 8);
        top -= height;
        return (
          <rect
            key={group}
            class={`bar ${group}`}
            x={x + 1}
            y={Math.max(0, top)}
            width={Math.max(2, width - 3)}
            height={Math.max(0, Math.min(height, top + height))}
          />
        );
      })}
      {past.ms > scale && <path class="cut" d={`M${x} 9l${width / 2} -5l${width / 2} 5`} />}
    </a>
  );
}

function Chart({ sessions, shown }: { sessions: readonly PastSession[]; shown: string | null }) {
  const { t, span } = useWords();
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const room = Math.max(0, width - LEFT);
  const fit = Math.min(MOST_COLUMNS, Math.floor(room / LEAST_COLUMN));
  const columns = sessions.slice(0, Math.max(0, fit)).reverse();
  const scale = scaleFor(columns);
  const tick = tickFor(scale);
  const wide = Math.min(46, room / Math.max(1, columns.length));
  const ticks = Array.from({ length: Math.floor(scale / tick) + 1 }, (_, index) => index * tick);
  return (
    <div ref={box} class="chart">
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing is no fieldset */}
      <svg width={width} height={HEIGHT + BOTTOM} role="group" aria-label={t('web.past.chart', { count: columns.length })}>
        {ticks.map((ms) => {
          const y = HEIGHT - (ms / scale) * (HEIGHT - 8);
          return (
            <g key={ms} class="tick">
              <line x1={LEFT} x2={width} y1={y} y2={y} />
              <text x={LEFT - 8} y={y + 4}>
                {ms === 0 ? '0' : span(ms)}
              </text>
            </g>
          );
        })}
        {columns.map((past, index) => (
          <Column key={past.session} past={past} x={LEFT + index * wide} width={wide} scale={scale} shown={past.session === shown} />
        ))}
        {wide * columns.length >= BOTH_LABELS && (
          <text class="axis" x={LEFT} y={HEIGHT + 16}>
            {t('web.past.older')}
          </text>
        )}
        <text class="axis end" x={LEFT + wide * columns.length} y={HEIGHT + 16}>
          {t('web.past.newest')}
        </text>
      </svg>
    </div>
  );
}

function Row({ past, shown }: { past: PastSession; shown: boolean }) {
  const { t, has, span, short } = useWords();
  const outcome = past.outcome ?? 'unknown';
  const all = Math.max(1, past.ms);
  return (
    <li>
      <a href={`#session=${past.session}`} class="past" aria-current={shown ? 'true' : undefined}>
        <span class="past-task">{past.task || past.session}</span>
        <span class={`pill outcome ${outcome}`}>{has(`web.outcome.${outcome}`) ? t(`web.outcome.${outcome}`) : outcome}</span>
        <span class="quiet small past-when">{past.started === null ? '' : short(past.started)}</span>
        <span class="strip" aria-hidden="true">
          {timeByGroup(past.times)
            .filter(({ ms }) => ms > 0)
            .map(({ group, ms }) => (
              <span key={group} class={`bar ${group}`} style={{ width: `${(ms / all) * 100}%` }} />
            ))}
        </span>
        <span class="small past-numbers">
          {span(past.ms)}
          {past.returns > 0 && ` · ${t('web.past.returns', { count: past.returns })}`}
          {past.blocks > 0 && ` · ${t('web.past.blocks', { count: past.blocks })}`}
        </span>
      </a>
    </li>
  );
}

export function PastSection({ past, more, shown }: Props) {
  const { t } = useWords();
  const [busy, setBusy] = useState(false);
  const load = async () => {
    setBusy(true);
    await more().catch(() => {});
    setBusy(false);
  };
  return (
    <section class="card" aria-labelledby="past">
      <div class="head">
        <h2 id="past">{t('web.past.title')}</h2>
        {past && past.total > 0 && <span class="quiet">{t('web.past.count', { shown: past.sessions.length, count: past.total })}</span>}
      </div>
      {!past || past.sessions.length === 0 ? (
        <p class="quiet">{t('web.past.none')}</p>
      ) : (
        <>
          <ul class="legend">
            {GROUPS.map((group) => (
              <li key={group}>
                <span class={`swatch ${group}`} aria-hidden="true" />
                {t(`web.group.${group}`)}
              </li>
            ))}
          </ul>
          <Chart sessions={past.sessions} shown={shown} />
          <section class="pasts" tabIndex={0} aria-label={t('web.past.title')}>
            <ul>
              {past.sessions.map((one) => (
                <Row key={one.session} past={one} shown={one.session === shown} />
              ))}
            </ul>
            {past.next !== null && (
              <button type="button" class="more" disabled={busy} onClick={load}>
                {t('web.past.more')}
              </button>
            )}
          </section>
        </>
      )}
    </section>
  );
}
