import { useState } from 'preact/hooks';
import type { SessionView, TaskView } from '../view.ts';
import { Icon } from './icons.tsx';
import { useWords } from './texts.ts';

const FIRST = 40;

/** One mark for each failure that is allowed, filled for those that happened: the number is said, too. */
function Failures({ count, limit }: { count: number; limit: number }) {
  const { t } = useWords();
  if (count === 0) return null;
  return (
    <span class="failures" title={t('web.tasks.failed', { count, limit })}>
      {Array.from({ length: Math.max(limit, count) }, (_, index) => (
        <span key={index} class={index < count ? 'mark full' : 'mark'} aria-hidden="true" />
      ))}
      {t('web.tasks.failed', { count, limit })}
    </span>
  );
}

function Task({ task, next, limit }: { task: TaskView; next: boolean; limit: number }) {
  const { t } = useWords();
  const done = task.status === 'completed';
  const notes: [string, string][] = [
    [t('web.tasks.after'), task.depends_on.join(', ')],
    [t('web.tasks.fixes'), task.fixes.join(', ')],
    [t('web.tasks.files'), task.files.join(', ')],
  ];
  return (
    <li class={`task ${done ? 'done' : next ? 'next' : ''}`}>
      <span class="box">{done ? <Icon name="check" size={15} /> : null}</span>
      <div>
        <p class="task-head">
          <code>{task.id}</code>
          {next && <span class="pill now">{t('web.tasks.now')}</span>}
          <span class="hidden">{done ? t('web.tasks.done') : t('web.tasks.pending')}</span>
          <Failures count={task.failures} limit={limit} />
        </p>
        <p>{task.description}</p>
        {task.summary && <p class="quiet">{task.summary}</p>}
        {notes
          .filter(([, value]) => value !== '')
          .map(([name, value]) => (
            <p class="quiet small" key={name}>
              {name} {value}
            </p>
          ))}
      </div>
    </li>
  );
}

export function Tasks({ session }: { session: SessionView }) {
  const { t } = useWords();
  const [all, setAll] = useState(false);
  const { tasks, task_count: count, tasks_done: done } = session;
  const shown = all ? tasks : tasks.slice(0, FIRST);
  return (
    <section class="card" aria-labelledby="tasks">
      <div class="head">
        <h2 id="tasks">{t('web.tasks.title')}</h2>
        {count > 0 && <span class="quiet">{t('web.hero.tasks', { done, count })}</span>}
      </div>
      {count === 0 ? (
        <p class="quiet">{t('web.tasks.none')}</p>
      ) : (
        <ol class="tasks">
          {shown.map((task) => (
            <Task key={task.id} task={task} next={task.id === session.next_task} limit={session.task_limit} />
          ))}
        </ol>
      )}
      {!all && tasks.length > FIRST && (
        <button type="button" class="more" onClick={() => setAll(true)}>
          {t('web.tasks.all', { count: tasks.length })}
        </button>
      )}
      {count > tasks.length && <p class="quiet">{t('web.tasks.cut', { count: count - tasks.length })}</p>}
    </section>
  );
}
