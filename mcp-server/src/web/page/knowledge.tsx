/** Facts, assumptions and gaps: told apart by shape, border and word, not by colour alone. */
import type { ComponentChildren } from 'preact';
import type { Knowledge } from '../view.ts';
import { Icon } from './icons.tsx';
import { useWords } from './texts.ts';

type Kind = 'fact' | 'assumption' | 'gap';

function Group({ kind, count, children }: { kind: Kind; count: number; children: ComponentChildren }) {
  const { t } = useWords();
  return (
    <section class={`known ${kind}`}>
      <h3>
        <Icon name={kind} /> {t(`web.known.${kind}`)} <span class="count">{count}</span>
      </h3>
      {count === 0 ? <p class="quiet">{t('web.known.none')}</p> : <ul>{children}</ul>}
    </section>
  );
}

const percent = (value: number): number => Math.round(Math.min(1, Math.max(0, value)) * 100);

function Confidence({ value }: { value: number | null }) {
  const { t } = useWords();
  if (value === null) return null;
  return (
    <span class="confidence">
      <meter min={0} max={100} low={50} high={75} optimum={100} value={percent(value)} aria-label={t('web.known.confidence')} />
      {t('web.known.percent', { percent: percent(value) })}
    </span>
  );
}

function Understanding({ knowledge }: { knowledge: Knowledge }) {
  const { t } = useWords();
  const found = knowledge.understanding;
  if (!found) return null;
  const lists: [string, string[]][] = [
    [t('web.known.deliverables'), found.deliverables],
    [t('web.known.constraints'), found.constraints],
    [t('web.known.in_scope'), found.in_scope],
    [t('web.known.out_of_scope'), found.out_of_scope],
  ];
  return (
    <div class="understanding">
      <p>
        <strong>{found.goal}</strong> <span class="pill">{found.task_type}</span> <Confidence value={found.confidence} />
      </p>
      <dl class="facts">
        {lists
          .filter(([, items]) => items.length > 0)
          .map(([name, items]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{items.join(' · ')}</dd>
            </div>
          ))}
      </dl>
    </div>
  );
}

export function KnowledgeSection({ knowledge }: { knowledge: Knowledge | null }) {
  const { t } = useWords();
  return (
    <section class="card" aria-labelledby="known">
      <div class="head">
        <h2 id="known">{t('web.known.title')}</h2>
      </div>
      {knowledge === null ? (
        <p class="quiet">{t('web.known.nothing')}</p>
      ) : (
        <>
          <Understanding knowledge={knowledge} />
          <div class="knowns">
            <Group kind="fact" count={knowledge.facts.length}>
              {knowledge.facts.map(({ id, category, summary, details, pointer }) => (
                <li key={`${category} ${id}`}>
                  <p>
                    <code>{id}</code> {summary}
                  </p>
                  {details && <p class="quiet small">{details}</p>}
                  {pointer && (
                    <p class="small">
                      <code class="pointer">{pointer}</code>
                    </p>
                  )}
                </li>
              ))}
            </Group>
            <Group kind="assumption" count={knowledge.assumptions.length}>
              {knowledge.assumptions.map(({ id, value, reasoning, confidence }) => (
                <li key={id}>
                  <p>
                    <code>{id}</code> {value} <Confidence value={confidence} />
                  </p>
                  <p class="quiet small">{reasoning}</p>
                </li>
              ))}
            </Group>
            <Group kind="gap" count={knowledge.gaps.length}>
              {knowledge.gaps.map(({ id, description, impact }) => (
                <li key={id}>
                  <p>
                    <code>{id}</code> {description}
                  </p>
                  <p class="quiet small">{t('web.known.impact', { impact })}</p>
                </li>
              ))}
            </Group>
          </div>
          {knowledge.recommendations.length > 0 && (
            <div class="recommendations">
              <h3>{t('web.known.recommendations')}</h3>
              <ul>
                {knowledge.recommendations.map((text) => (
                  <li key={text}>{text}</li>
                ))}
              </ul>
            </div>
          )}
        </>
      )}
    </section>
  );
}
