/** What the person can decide. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { DecisionAnswer, SessionView } from '../view.ts';
import { type Decision, decide } from './api.ts';
import { Icon } from './icons.tsx';
import { useWords } from './texts.ts';
import { Unlock } from './unlock.tsx';

interface Props {
  session: SessionView;
  mayDecide: boolean;
  code: string | null;
  setCode: (code: string | null) => void;
  after: () => void;
}

type Choice = Pick<Decision, 'kind' | 'answer'> & { name: string };

const ESCALATION: readonly Choice[] = [
  { name: 'retry', kind: 'decide', answer: 'retry' },
  { name: 'accept', kind: 'decide', answer: 'accept' },
  { name: 'abort', kind: 'decide', answer: 'abort' },
];
const APPROVAL: readonly Choice[] = [
  { name: 'approve', kind: 'approve' },
  { name: 'revise', kind: 'revise' },
];

/** The choices as buttons that say what follows, and a note that goes with them. */
function Question({ choices, send, ready }: { choices: readonly Choice[]; send: (choice: Choice, note: string) => void; ready: boolean }) {
  const { t } = useWords();
  const [note, setNote] = useState('');
  return (
    <>
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
        {choices.map((choice) => (
          <button key={choice.name} type="button" class={`answer ${choice.name}`} disabled={!ready} onClick={() => send(choice, note)}>
            <strong>{t(`web.decide.${choice.name}`)}</strong>
            <span>{t(`web.decide.what.${choice.name}`)}</span>
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
  useLayoutEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  // Escape tells `cancel` at once and `close` a moment later: by then a quick hand may have opened it again.
  const closed = () => {
    if (!dialog.current?.open) close();
  };
  return (
    <dialog ref={dialog} onCancel={close} onClose={closed} aria-labelledby="end-title">
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

/** What is asked: about a plan, or how to go on where the work is stuck. */
function askedIn({ decisions, step }: SessionView): 'approve' | 'verify' | 'review' | null {
  if (decisions.includes('approve')) return 'approve';
  if (!decisions.includes('decide')) return null;
  return step === 12 ? 'review' : 'verify';
}

/** Sends decisions and remembers the answer. */
function useDecisions({ session, code, setCode, after }: Props) {
  const { t, lang } = useWords();
  const [said, setSaid] = useState<DecisionAnswer | null>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => setSaid(null), [session.session]);
  const send = async ({ name, kind, answer }: Choice, note: string) => {
    setBusy(true);
    const more = kind === 'decide' ? { note, ...(answer ? { answer } : {}) } : kind === 'revise' ? { note } : {};
    const about = session.plan === null ? {} : { plan: session.plan };
    const sent: Decision = { session: session.session, rev: session.rev, kind, ...about, ...more };
    const got = await decide(code ?? '', lang, sent).catch(() => ({ done: false, message: t('web.code.unreachable') }));
    setSaid(got.done ? { done: true, message: t(`web.done.${name}`) } : got);
    // One code, one decision: a tool that drives this browser finds nothing open.
    if (got.done) setCode(null);
    setBusy(false);
    after();
  };
  return { said, busy, send };
}

export function Decisions(props: Props) {
  const { session, mayDecide, code, setCode } = props;
  const { t } = useWords();
  const { said, busy, send } = useDecisions(props);
  const [ending, setEnding] = useState(false);
  const [unlocking, setUnlocking] = useState(false);
  const asked = askedIn(session);
  if (!session.active && !said) return null;
  const ready = code !== null && !busy;
  const locked = session.active && mayDecide && code === null;
  const end = () => {
    setEnding(false);
    setUnlocking(false);
    void send({ name: 'abort', kind: 'abort' }, '');
  };
  return (
    <section class={`card decisions ${asked ? 'waits' : ''}`} aria-labelledby="decisions">
      <div class="head">
        <h2 id="decisions">
          <Icon name="person" /> {t(`web.ask.${asked ?? 'nothing'}`)}
        </h2>
        {locked && !asked && (
          <button type="button" aria-expanded={unlocking} onClick={() => setUnlocking(!unlocking)}>
            <Icon name="key" size={16} />
            {t('web.code.open')}
          </button>
        )}
        {session.active && ready && (
          <button type="button" class="danger ghost" onClick={() => setEnding(true)}>
            {t('web.end.button')}
          </button>
        )}
      </div>
      <div role="status" aria-live="polite">
        {said && <p class={`notice ${said.done ? 'good' : 'bad'}`}>{said.message}</p>}
      </div>
      {asked && session.failure && <blockquote class="pre">{session.failure.reason}</blockquote>}
      {asked && !mayDecide && <p class="quiet">{t('web.code.not_here')}</p>}
      {locked && (asked || unlocking) && <Unlock setCode={setCode} />}
      {asked && mayDecide && <Question choices={asked === 'approve' ? APPROVAL : ESCALATION} send={send} ready={ready} />}
      <EndDialog open={ending} close={() => setEnding(false)} end={end} />
    </section>
  );
}
