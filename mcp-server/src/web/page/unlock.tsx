/** The code from the terminal, typed. */
import { useState } from 'preact/hooks';
import { unlock } from './api.ts';
import { Icon } from './icons.tsx';
import { useWords } from './texts.ts';

export function Unlock({ setCode }: { setCode: (code: string) => void }) {
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
          placeholder="XXXX-XXXX"
          aria-describedby="code-help"
          aria-invalid={verdict === 'wrong'}
        />
        <button type="submit" class="primary" disabled={typed.trim() === ''}>
          <Icon name="key" size={16} />
          {t('web.code.unlock')}
        </button>
      </div>
      <p id="code-help" class="quiet small">
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
