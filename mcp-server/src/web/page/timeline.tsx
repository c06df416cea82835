import { memo } from 'preact/compat';
import { useState } from 'preact/hooks';
import { CATEGORIES, type Category, type EventPage, type EventRow } from '../view.ts';
import { Icon } from './icons.tsx';
import { stepName, useWords, type Words } from './texts.ts';

interface Props {
  events: EventPage | null;
  only: Category | null;
  choose: (only: Category | null) => void;
  older: () => Promise<void>;
}

const at = (words: Words, step: number | null, node: string): string => [step ?? '', stepName(words, node)].filter(Boolean).join(' ');

/** A line's first words: from where to where, or what happened where. */
function titleOf(row: EventRow, words: Words): string {
  const { t, has } = words;
  const from = at(words, row.step, row.node);
  if (row.event === 'transition') {
    const to = row.to === 'SESSION_COMPLETE' ? t('web.event.end') : at(words, row.to_step, row.to);
    if (has(`web.done_as.${row.what}`)) return t('web.event.decided', { what: t(`web.done_as.${row.what}`), to });
    if (row.to_step === row.step) return t(has(`web.event.${row.what}`) ? `web.event.${row.what}` : 'web.event.same', { from });
    return t('web.event.transition', { from, to });
  }
  const params = { from, what: has(`web.effect.${row.what}`) ? t(`web.effect.${row.what}`) : row.what };
  return has(`web.event.${row.event}`) ? t(`web.event.${row.event}`, params) : row.event;
}

const SOURCES = new Set(['user:dashboard', 'person', 'model']);

function detailOf(row: EventRow, { t, has }: Words): string {
  if (SOURCES.has(row.detail)) return t(`web.source.${row.detail.replace('user:', '')}`);
  return has(`web.outcome.${row.detail}`) ? t(`web.outcome.${row.detail}`) : row.detail;
}

const Row = memo(({ row }: { row: EventRow }) => {
  const words = useWords();
  const detail = detailOf(row, words);
  return (
    <li class={`event ${row.category}`}>
      <time dateTime={Number.isFinite(row.at) ? new Date(row.at).toISOString() : ''}>{words.clock(row.at)}</time>
      <span class="badge" title={words.t(`web.category.${row.category}`)}>
        <Icon name={row.category} size={15} />
        <span class="hidden">{words.t(`web.category.${row.category}`)}</span>
      </span>
      <div>
        <p>{titleOf(row, words)}</p>
        {detail && <p class="quiet small pre">{detail}</p>}
      </div>
      {row.took !== null && row.took >= 1000 && <span class="took">{words.span(row.took)}</span>}
    </li>
  );
});

function Filters({ events, only, choose }: Omit<Props, 'older'> & { events: EventPage }) {
  const { t } = useWords();
  const chips: [Category | null, number][] = [
    [null, events.total],
    ...CATEGORIES.map((name): [Category, number] => [name, events.counts[name]]),
  ];
  return (
    <fieldset class="chips">
      <legend class="hidden">{t('web.timeline.filter')}</legend>
      {chips
        .filter(([name, count]) => name === null || name === only || count > 0)
        .map(([name, count]) => (
          <button key={name ?? 'all'} type="button" class="chip" aria-pressed={only === name} onClick={() => choose(name)}>
            {t(`web.category.${name ?? 'all'}`)} <span class="count">{count}</span>
          </button>
        ))}
    </fieldset>
  );
}

/** Rows under their day. */
function Days({ rows }: { rows: readonly EventRow[] }) {
  const { day } = useWords();
  const days: { name: string; rows: EventRow[] }[] = [];
  for (const row of rows) {
    const name = day(row.at);
    const last = days.at(-1);
    if (last?.name === name) last.rows.push(row);
    else days.push({ name, rows: [row] });
  }
  return (
    <>
      {days.map(({ name, rows: own }) => (
        <li key={`${name} ${own[0]?.seq}`} class="day">
          <h3>{name}</h3>
          <ol>
            {own.map((row) => (
              <Row key={row.seq} row={row} />
            ))}
          </ol>
        </li>
      ))}
    </>
  );
}

export function Timeline({ events, only, choose, older }: Props) {
  const { t } = useWords();
  const [busy, setBusy] = useState(false);
  const more = async () => {
    setBusy(true);
    await older().catch(() => {});
    setBusy(false);
  };
  return (
    <section class="card timeline" aria-labelledby="timeline">
      <div class="head">
        <h2 id="timeline">{t('web.timeline.title')}</h2>
      </div>
      {events && <Filters events={events} only={only} choose={choose} />}
      {events?.broken && <p class="notice bad">{t('web.timeline.broken')}</p>}
      <section class="scroll" tabIndex={0} aria-label={t('web.timeline.title')}>
        <ol class="events">{events && <Days rows={events.rows} />}</ol>
        {events?.rows.length === 0 && <p class="quiet">{t('web.timeline.none')}</p>}
        {events?.more && (
          <button type="button" class="more" disabled={busy} onClick={more}>
            {t('web.timeline.older')}
          </button>
        )}
      </section>
    </section>
  );
}
