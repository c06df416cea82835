import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ArtifactName, ArtifactText } from '../view.ts';
import { read } from './api.ts';
import { Icon } from './icons.tsx';
import { renderMarkdown } from './markdown.ts';
import { useWords } from './texts.ts';

interface Props {
  session: string;
  names: ArtifactName[];
  /** Changes when the session's folder did. */
  stamp: string;
}

function useText(session: string, name: string | null, modified: number | undefined): ArtifactText | null {
  const [text, setText] = useState<ArtifactText | null>(null);
  useEffect(() => {
    let wanted = true;
    if (name === null) return setText(null);
    void read<ArtifactText>('/api/artifact', { session, name })
      .then((found) => wanted && setText(found))
      .catch(() => {});
    return () => {
      wanted = false;
    };
  }, [session, name, modified]);
  return text;
}

function Body({ text }: { text: ArtifactText }) {
  const { t } = useWords();
  const nodes = useMemo(() => renderMarkdown(text.text), [text.text]);
  return (
    <>
      {nodes}
      {text.cut && <p class="quiet">{t('web.artifacts.cut')}</p>}
    </>
  );
}

export function Artifacts({ session, names }: Props) {
  const { t, short } = useWords();
  const [chosen, setChosen] = useState<string | null>(null);
  const found = names.find(({ name }) => name === chosen) ?? names[0] ?? null;
  const text = useText(session, found?.name ?? null, found?.modified);
  return (
    <section class="card artifacts" aria-labelledby="artifacts">
      <div class="head">
        <h2 id="artifacts">{t('web.artifacts.title')}</h2>
      </div>
      {names.length === 0 ? (
        <p class="quiet">{t('web.artifacts.none')}</p>
      ) : (
        <div class="reader">
          <ul class="files">
            {names.map(({ name, modified }) => (
              <li key={name}>
                <button type="button" aria-pressed={name === found?.name} onClick={() => setChosen(name)}>
                  <Icon name="file" size={16} />
                  <span>{name}</span>
                  <span class="quiet small">{short(modified)}</span>
                </button>
              </li>
            ))}
          </ul>
          {text && (
            <article class="markdown" tabIndex={0} aria-label={text.name}>
              <Body text={text} />
            </article>
          )}
        </div>
      )}
    </section>
  );
}
