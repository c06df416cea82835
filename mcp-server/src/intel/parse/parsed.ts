/** What reading one file gives. Plain data: it crosses from a worker to the index. */
import type { Language } from './languages.ts';

export type SymbolKind =
  | 'function'
  | 'method'
  | 'class'
  | 'interface'
  | 'struct'
  | 'trait'
  | 'enum'
  | 'member'
  | 'type'
  | 'module'
  | 'namespace'
  | 'variable'
  | 'constant'
  | 'field'
  | 'macro'
  | 'prototype'
  | 'heading';

export interface Definition {
  name: string;
  kind: SymbolKind;
  /** First line of the name, and last line of the definition, counted from 1. */
  line: number;
  end: number;
  /** Names of what it stands in, joined by dots; empty at the top. */
  container: string;
  /** One line, cut when long. */
  signature: string;
  /** First sentence of its comment; empty when it has none. */
  doc: string;
}

export interface Import {
  /** What the file names: a module, a path, a package. */
  spec: string;
  /** What it takes from there, by the name that the other side gives it; `*` for everything. */
  names: string[];
  line: number;
}

/** A stretch of a file for search by words. */
export interface Chunk {
  line: number;
  end: number;
  /** The definition that it begins with or belongs to; empty for none. */
  name: string;
  doc: string;
  /** Its words, split and in lower case, each once. */
  body: string;
}

/** Why a file holds nothing that could be indexed. */
export type SkipReason = 'large' | 'minified' | 'binary' | 'unreadable' | 'link';

export interface ParsedFile {
  path: string;
  language: Language;
  /** Of the bytes; empty when they were not read. */
  hash: string;
  size: number;
  mtime: number;
  lines: number;
  skipped: SkipReason | null;
  /** The grammar found errors: definitions may be missing. */
  broken: boolean;
  definitions: Definition[];
  imports: Import[];
  chunks: Chunk[];
}
