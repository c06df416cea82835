/** The grammars, loaded when the first file of a language is read. */
import fs from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { Language as Loaded, Parser, Query } from 'web-tree-sitter';
import type { Grammar } from './languages.ts';
import { C, CPP, CSHARP, GO, JAVA, RUST } from './queries/compiled.ts';
import { JAVASCRIPT, TYPESCRIPT } from './queries/ecmascript.ts';
import { BASH, PHP, PYTHON, RUBY } from './queries/scripting.ts';

const QUERIES: Readonly<Record<Grammar, string>> = {
  javascript: JAVASCRIPT,
  typescript: TYPESCRIPT,
  tsx: TYPESCRIPT,
  python: PYTHON,
  go: GO,
  rust: RUST,
  java: JAVA,
  ruby: RUBY,
  php: PHP,
  c: C,
  cpp: CPP,
  csharp: CSHARP,
  bash: BASH,
};

export interface Reader {
  parser: Parser;
  query: Query;
}

/** A WebAssembly file that the build laid beside the program. @throws the system's error where the plugin is incomplete */
export const readWasm = (name: string): Buffer =>
  brotliDecompressSync(fs.readFileSync(path.join(__dirname, 'grammars', `${name}.wasm.br`)));

let ready: Promise<void> | null = null;
const readers = new Map<Grammar, Promise<Reader>>();

async function load(language: Grammar): Promise<Reader> {
  ready ??= Parser.init({ wasmBinary: readWasm('web-tree-sitter') } as unknown as Parameters<typeof Parser.init>[0]);
  await ready;
  const grammar = await Loaded.load(readWasm(language));
  const parser = new Parser();
  parser.setLanguage(grammar);
  return { parser, query: new Query(grammar, QUERIES[language]) };
}

/** Parser and query of a language; the same ones every time. */
export function readerOf(language: Grammar): Promise<Reader> {
  const there = readers.get(language);
  if (there) return there;
  const made = load(language);
  readers.set(language, made);
  return made;
}
