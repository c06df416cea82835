/** Which language a file is written in, by its name and, where the name says nothing, by its first line. */

/** Languages with a grammar. */
export type Grammar =
  | 'javascript'
  | 'typescript'
  | 'tsx'
  | 'python'
  | 'go'
  | 'rust'
  | 'java'
  | 'ruby'
  | 'php'
  | 'c'
  | 'cpp'
  | 'csharp'
  | 'bash';

/** How a file is read: with a grammar, by its headings, or as plain text. */
export type Language = Grammar | 'markdown' | 'text';

const EXTENSIONS: Readonly<Record<string, Language>> = {
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  tsx: 'tsx',
  py: 'python',
  pyi: 'python',
  go: 'go',
  rs: 'rust',
  java: 'java',
  rb: 'ruby',
  rake: 'ruby',
  gemspec: 'ruby',
  php: 'php',
  c: 'c',
  h: 'c',
  cc: 'cpp',
  cpp: 'cpp',
  cxx: 'cpp',
  hh: 'cpp',
  hpp: 'cpp',
  hxx: 'cpp',
  cs: 'csharp',
  sh: 'bash',
  bash: 'bash',
  bats: 'bash',
  md: 'markdown',
  mdx: 'markdown',
  markdown: 'markdown',
};

const NAMES: Readonly<Record<string, Language>> = { Rakefile: 'ruby', Gemfile: 'ruby', '.bashrc': 'bash', '.profile': 'bash' };

const INTERPRETERS: readonly (readonly [RegExp, Language])[] = [
  [/\b(?:ba|da|k|z)?sh\b/, 'bash'],
  [/\bpython[\d.]*\b/, 'python'],
  [/\b(?:node|deno|bun)\b/, 'javascript'],
  [/\bruby\b/, 'ruby'],
  [/\bphp\b/, 'php'],
];

/** The language by name alone; `text` for names that say nothing. */
export function languageByName(path: string): Language {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const own = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
  if (own) return own;
  const dot = name.lastIndexOf('.');
  const extension = dot < 0 ? '' : name.slice(dot + 1).toLowerCase();
  return (Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension] : undefined) ?? 'text';
}

/** C++ in a `.h` file shows itself by words that C has not. */
const CPP_WORDS = /^\s*(?:class\s+\w|namespace\s+\w|template\s*<|using\s+\w|public:|private:|protected:)/m;

/** The language of a file whose content is known. */
export function languageOf(path: string, content: string): Language {
  const language = languageByName(path);
  if (language === 'c' && path.endsWith('.h') && CPP_WORDS.test(content)) return 'cpp';
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (language !== 'text' || name.includes('.') || !content.startsWith('#!')) return language;
  const first = content.slice(0, 200).split('\n', 1)[0] ?? '';
  return INTERPRETERS.find(([interpreter]) => interpreter.test(first))?.[1] ?? 'text';
}

/** Whether a language has definitions. */
export const hasGrammar = (language: Language): language is Grammar => language !== 'markdown' && language !== 'text';
