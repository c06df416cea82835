/** sync_index: brings the index in step now, or builds it anew, and says what it holds. */
import { type Answer, compose, type Row, say } from './answer.ts';
import { notesOf, type ToolContext } from './context.ts';

export interface SyncIndex {
  rebuild?: boolean;
}

export interface IndexReport {
  files: number;
  indexed: number;
  symbols: number;
  languages: Record<string, number>;
  /** Files that were not read, by reason, and where to look for them. */
  skipped: Record<string, { count: number; examples: string[] }>;
  broken: number;
  others: number;
}

const EXAMPLES = 3;

export function reportOf({ index, progress }: Pick<ToolContext, 'index' | 'progress'>): IndexReport {
  const report: IndexReport = {
    files: progress.total,
    indexed: progress.indexed,
    symbols: 0,
    languages: {},
    skipped: {},
    broken: 0,
    others: index.tree.others,
  };
  for (const { path, language, skipped } of index.allStored()) {
    if (skipped) {
      const entry = report.skipped[skipped] ?? { count: 0, examples: [] };
      report.skipped[skipped] = entry;
      entry.count++;
      if (entry.examples.length < EXAMPLES) entry.examples.push(path);
    } else report.languages[language] = (report.languages[language] ?? 0) + 1;
  }
  const counts = index.query((db) =>
    db.all('select (select count(*) from symbols) as symbols, (select count(*) from files where broken = 1) as broken'),
  )[0];
  report.symbols = Number(counts?.symbols ?? 0);
  report.broken = Number(counts?.broken ?? 0);
  return report;
}

/** How long the call waits; a larger tree goes on in the background, and the answer says how far it came. */
const PATIENCE_MS = 50_000;

export async function syncIndex(context: ToolContext, { rebuild = false }: SyncIndex): Promise<Answer> {
  const { index, language, tell } = context;
  tell(0, Math.max(1, index.tree.files.size));
  const end = index.onProgress(({ indexed, total }) => tell(indexed, total));
  try {
    const progress = rebuild ? await index.rebuild(PATIENCE_MS) : await index.refresh(PATIENCE_MS);
    const report = reportOf({ index, progress });
    const skipped = Object.values(report.skipped).reduce((sum, { count }) => sum + count, 0);
    const head = say(language, rebuild ? 'intel.sync.rebuilt' : 'intel.sync', {
      files: report.files,
      indexed: report.indexed,
      symbols: report.symbols,
      skipped,
    });
    const languages = Object.entries(report.languages)
      .sort(([, a], [, b]) => b - a)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
    const rows: Row[] = [{ text: languages, data: { languages: report.languages } }];
    for (const [reason, { count, examples }] of Object.entries(report.skipped))
      rows.push({
        text: say(language, 'intel.sync.skipped', { reason, count, examples: examples.join(', ') }),
        data: { skipped: reason, count, examples },
      });
    if (report.broken > 0)
      rows.push({ text: say(language, 'intel.sync.broken', { count: report.broken }), data: { broken: report.broken } });
    if (report.others > 0)
      rows.push({ text: say(language, 'intel.note.others', { count: report.others }), data: { others: report.others } });
    const { files, indexed, symbols } = report;
    return {
      ...compose(language, { head, rows, notes: notesOf({ ...context, progress }), extra: { files, indexed, symbols } }),
      paths: [],
    };
  } finally {
    end();
  }
}
