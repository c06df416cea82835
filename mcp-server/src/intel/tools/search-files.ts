/** search_files: paths by a glob, or by the letters that someone remembers. */
import { globMatcher, isGlob } from '../../evidence/file-glob.ts';
import { type Answer, compose, say } from './answer.ts';
import { isTest, notesOf, scopeOf, type ToolContext } from './context.ts';

export interface SearchFiles {
  query: string;
  path?: string;
}

/** How well letters fit a path, in order; the file's own name counts more than its folders. Null when they do not fit. */
function fuzzy(query: string, path: string): number | null {
  const text = path.toLowerCase();
  const name = text.lastIndexOf('/') + 1;
  const whole = text.indexOf(query, Math.max(0, name));
  if (whole >= 0) return 1000 - (whole - name) - (text.length - name - query.length) * 2;
  const anywhere = text.indexOf(query);
  if (anywhere >= 0) return 500 - (text.length - query.length);
  let score = 0;
  let last = -1;
  for (const char of query) {
    const at = text.indexOf(char, last + 1);
    if (at < 0) return null;
    if (at === last + 1) score += 4;
    else if (at === 0 || /[/_.-]/.test(text[at - 1] ?? '')) score += 3;
    else score -= Math.min(3, (at - last) / 8);
    if (at >= name) score += 1;
    last = at;
  }
  return score > query.length ? score - text.length / 20 : null;
}

const byPath = (a: string, b: string): number => Number(isTest(a)) - Number(isTest(b)) || a.localeCompare(b);

/** @throws ToolProblem */
export function searchFiles(context: ToolContext, { query, path }: SearchFiles): Answer {
  const { index, language, root } = context;
  const scope = scopeOf(root, path);
  const files = [...index.tree.files.keys()].filter(scope.has);
  const wanted = query.trim();
  let found: string[];
  if (isGlob(wanted)) {
    const glob = wanted.replace(/^\.?\//, '');
    // Without a folder it means the name, wherever it lies.
    const expression = globMatcher(glob.includes('/') ? glob : `**/${glob}`);
    const below = scope.path === '' || scope.file ? '' : `${scope.path}/`;
    found = files.filter((file) => expression.test(file) || (below !== '' && expression.test(file.slice(below.length)))).sort(byPath);
  } else {
    const letters = wanted.toLowerCase().replace(/\s+/g, '');
    const scored = files.flatMap((file) => {
      const score = fuzzy(letters, file);
      return score === null ? [] : [{ file, score }];
    });
    found = scored.sort((a, b) => b.score - a.score || byPath(a.file, b.file)).map(({ file }) => file);
  }
  const head = say(language, found.length > 0 ? 'intel.files' : 'intel.files.none', {
    query: wanted.slice(0, 200),
    count: found.length,
    total: files.length,
  });
  const rows = found.slice(0, 150).map((file) => ({ text: file, data: { path: file }, path: file }));
  return compose(language, {
    head,
    rows,
    total: found.length,
    notes: notesOf({ ...context, progress: { ...context.progress, pending: 0 } }),
  });
}
