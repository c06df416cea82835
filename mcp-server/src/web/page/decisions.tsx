/** What the person can decide, and the code that shows that it is them. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { DecisionAnswer, SessionView } from '../view.ts';
import { type Decision, decide, unlock } from './api.ts';
import { Icon } from './icons.tsx';
import { useWords } from './texts.ts';

interface Props {
  session: SessionView;
  mayDecide: boolean;
  code: string | null;
  setCode: (code: string | null) => void;
  after: () => void;
}

const ANSWERS = ['retry', 'accept', 'abort'] as const;

function Unlock({ setCode }: Pick<Props, 'setCode'>) {
  const { t } = useWords();
  const [typed, setTyped] = useState('');
  const [verdict, setVerdict] = useState<'wrong' | 'locked' | 'unreachable' | null>(null);
  const submit = async (event: Event) => {
    event.preventDefault();
    const found = await unlock(typed.trim()).catch(() => 'unreachable' as const);
    if (found === 'right') setCode(typed.trim());
    else setVerdict(found);
  };
  return (
    <form class="unlock" onSubmit={submit}>
      <label for="code">{t('web.code.label')}</label>
      <div class="row">
        <input
          id="code"
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          placeholder="XXXX-XXXX-XXXX"
          aria-describedby="code-help"
          aria-invalid={verdict === 'wrong'}
        />
        <button type="submit" class="primary" disabled={typed.trim() === ''}>
          <Icon name="key" size={16} />
          {t('web.code.unlock')}
        </button>
      </div>
      <p id="code-help" class="quiet">
        {t('web.code.why')}
      </p>
      {verdict && (
        <p class="bad" role="alert">
          {t(`web.code.${verdict}`)}
        </p>
      )}
    </form>
  );
}

function Escalation({ session, send, ready }: { session: SessionView; send: (decision: Partial<Decision>) => void; ready: boolean }) {
  const { t } = useWords();
  const [note, setNote] = useState('');
  return (
    <>
      {session.failure && <blockquote class="pre">{session.failure.reason}</blockquote>}
      <label for="note">{t('web.decide.note')}</label>
      <textarea
        id="note"
        rows={2}
        maxLength={4000}
        value={note}
        onInput={(event) => setNote(event.currentTarget.value)}
        disabled={!ready}
      />
      <div class="answers">
        {ANSWERS.map((answer) => (
          <button
            key={answer}
            type="button"
            class={`answer ${answer}`}
            disabled={!ready}
            onClick={() => send({ kind: 'decide', answer, note })}
          >
            <strong>{t(`web.decide.${answer}`)}</strong>
            <span>{t(`web.decide.what.${answer}`)}</span>
          </button>
        ))}
      </div>
    </>
  );
}

/** Asks once more: an ended session does not come back. */
function EndDialog({ open, close, end }: { open: boolean; close: () => void; end: () => void }) {
  const { t } = useWords();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="end-title">
      <h2 id="end-title">{t('web.end.title')}</h2>
      <p>{t('web.end.what')}</p>
      <div class="row end">
        <button type="button" onClick={close}>
          {t('web.end.keep')}
        </button>
        <button type="button" class="danger" onClick={end}>
          {t('web.end.yes')}
        </button>
      </div>
    </dialog>
  );
}

export function Decisions({ session, mayDecide, code, setCode, after }: Props) {
  const { t, lang } = useWords();
  const [said, setSaid] = useState<DecisionAnswer | null>(null);
  const [ending, setEnding] = useState(false);
  const [busy, setBusy] = useState(false);
  const [asks, setAsks] = useState(false);
  useEffect(() => setSaid(null), [session.session]);
  const { decisions, rev } = session;
  const [kind] = decisions;
  const waits = kind === 'decide' || kind === 'approve';
  if (!session.active && !said) return null;

  const send = async (decision: Partial<Decision>) => {
    setBusy(true);
    const sent = { session: session.session, rev, kind: 'abort', ...decision } as Decision;
    const answer = await decide(code ?? '', lang, sent).catch(() => ({ done: false, message: t('web.code.unreachable') }));
    const done = decision.kind === 'decide' ? `web.done.${decision.answer}` : `web.done.${sent.kind === 'abort' ? 'abort' : 'approve'}`;
    setSaid(answer.done ? { done: true, message: t(done) } : answer);
    setBusy(false);
    setEnding(false);
    after();
  };
  const ready = code !== null && !busy;
  return (
    <section class={`card decisions ${waits ? 'waits' : ''}`} aria-labelledby="decisions">
      <div class="head">
        <h2 id="decisions">
          <Icon name="person" /> {waits ? t(`web.ask.${kind}`) : t('web.ask.nothing')}
        </h2>
        {session.active && mayDecide && code === null && !waits && (
          <button type="button" aria-expanded={asks} onClick={() => setAsks(!asks)}>
            <Icon name="key" size={16} />
            {t('web.code.open')}
          </button>
        )}
        {session.active && mayDecide && code !== null && (
          <button type="button" class="danger ghost" disabled={!ready} onClick={() => setEnding(true)}>
            {t('web.end.button')}
          </button>
        )}
      </div>
      <div role="status" aria-live="polite">
        {said && <p class={`notice ${said.done ? 'good' : 'bad'}`}>{said.message}</p>}
      </div>
      {session.active && !mayDecide && waits && <p class="quiet">{t('web.code.not_here')}</p>}
      {session.active && mayDecide && code === null && (waits || asks) && <Unlock setCode={setCode} />}
      {decisions.includes('decide') && <Escalation session={session} send={send} ready={ready} />}
      {decisions.includes('approve') && (
        <button type="button" class="primary" disabled={!ready} onClick={() => send({ kind: 'approve' })}>
          <Icon name="check" size={16} />
          {t('web.decide.approve')}
        </button>
      )}
      <EndDialog open={ending} close={() => setEnding(false)} end={() => send({ kind: 'abort' })} />
    </section>
  );
}
