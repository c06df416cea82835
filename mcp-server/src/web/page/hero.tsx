import { useEffect, useState } from 'preact/hooks';
import { waitsFor } from '../../session/waits-for.ts';
import type { SessionView } from '../view.ts';
import { groupOf } from './groups.ts';
import { Icon } from './icons.tsx';
import { stepName, useWords, type Words } from './texts.ts';

/** The time, anew every second while somebody waits for it. */
function useNow(runs: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!runs) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [runs]);
  return now;
}

/** Whom the session waits for, in a sentence. */
function waitingFor(session: SessionView, { t, has }: Words): string {
  const { active, outcome } = session;
  if (!active) return has(`web.outcome.${outcome}`) ? t(`web.outcome.${outcome}`) : (outcome ?? '');
  return t(`web.waits.${waitsFor(session)}`);
}

function Facts({ session, now }: { session: SessionView; now: number }) {
  const words = useWords();
  const { t, span } = words;
  const end = session.active ? now : session.last_activity;
  const facts: [string, string][] = [
    [session.active ? t('web.hero.running') : t('web.hero.took'), span(end - session.created)],
    ...(session.active ? ([[t('web.hero.last'), t('web.ago', { time: span(now - session.last_activity) })]] as [string, string][]) : []),
    ...(session.base
      ? ([[t('web.hero.branch'), session.branch ? `${session.branch} → ${session.base}` : session.base]] as [string, string][])
      : []),
    [t('web.hero.commits'), String(session.commits)],
    [t('web.hero.kind'), [session.intent, session.pipeline ? 'pipeline' : 'solo', ...session.flags.map((flag) => `--${flag}`)].join(' · ')],
    [t('web.hero.session'), session.session],
  ];
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name} class={value.length > 20 ? 'wide-fact' : ''}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Progress({ session }: { session: SessionView }) {
  const { t } = useWords();
  const { tasks_done: done, task_count: count } = session;
  if (count === 0) return null;
  return (
    <div class="progress">
      <progress value={done} max={count} aria-label={t('web.hero.tasks', { done, count })} />
      <span>{t('web.hero.tasks', { done, count })}</span>
    </div>
  );
}

/** Where the session stands and what it waits for. */
export function Hero({ session }: { session: SessionView }) {
  const words = useWords();
  const { t } = words;
  const now = useNow(session.active);
  const open = session.gate === 'open';
  const yours = session.active && waitsFor(session) !== 'agent';
  const gate = session.override ? t('web.gate.override') : open ? t('web.gate.open') : t('web.gate.closed');
  return (
    <section class={`card hero ${session.active ? groupOf(session.step) : 'over'}`} aria-labelledby="where">
      <div class="hero-main">
        <p class="eyebrow">{session.active ? t('web.hero.step', { step: session.step }) : t('web.hero.over')}</p>
        <h1 id="where">{session.active ? stepName(words, session.node, session.phase) : waitingFor(session, words)}</h1>
        <p class="request">{session.task}</p>
        <div class="marks">
          {session.active && (
            <span class={`pill gate ${open ? 'open' : 'closed'}`}>
              <Icon name={open ? 'open' : 'closed'} size={15} />
              {gate}
            </span>
          )}
          {session.active && (
            <span class={`pill ${yours ? 'yours' : ''}`}>
              <Icon name={yours ? 'person' : 'wait'} size={15} />
              {waitingFor(session, words)}
            </span>
          )}
          <Progress session={session} />
        </div>
        {session.failure && session.active && !session.decisions.includes('decide') && (
          <details class="failure">
            <summary>{t('web.hero.failure', { step: stepName(words, session.failure.from) })}</summary>
            <p class="pre">{session.failure.reason}</p>
          </details>
        )}
        {session.conflict.length > 0 && <p class="notice bad">{t('web.hero.conflict', { files: session.conflict.join(', ') })}</p>}
        {session.warnings.length > 0 && (
          <ul class="warnings">
            {session.warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        )}
      </div>
      <Facts session={session} now={now} />
    </section>
  );
}
