// The WebAssembly files of the code index: taken from their npm packages, compressed into plugin/grammars/, with licenses.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { root } from './setup.mjs';

/** Name in plugin/grammars/, and the file in its package. */
const FILES = {
  'web-tree-sitter': 'web-tree-sitter/web-tree-sitter.wasm',
  sqlite3: 'node-sqlite3-wasm/dist/node-sqlite3-wasm.wasm',
  javascript: 'tree-sitter-javascript/tree-sitter-javascript.wasm',
  typescript: 'tree-sitter-typescript/tree-sitter-typescript.wasm',
  tsx: 'tree-sitter-typescript/tree-sitter-tsx.wasm',
  python: 'tree-sitter-python/tree-sitter-python.wasm',
  go: 'tree-sitter-go/tree-sitter-go.wasm',
  rust: 'tree-sitter-rust/tree-sitter-rust.wasm',
  java: 'tree-sitter-java/tree-sitter-java.wasm',
  ruby: 'tree-sitter-ruby/tree-sitter-ruby.wasm',
  php: 'tree-sitter-php/tree-sitter-php.wasm',
  c: 'tree-sitter-c/tree-sitter-c.wasm',
  cpp: 'tree-sitter-cpp/tree-sitter-cpp.wasm',
  csharp: 'tree-sitter-c-sharp/tree-sitter-c_sharp.wasm',
  bash: 'tree-sitter-bash/tree-sitter-bash.wasm',
};

const FOLDER = 'grammars';
const CACHE = path.join(root, 'node_modules/.cache/readygate-wasm');

/** What it holds counts, not how it was compressed: another Node may compress to other bytes. */
function holds(file, content) {
  if (!fs.existsSync(file)) return false;
  try {
    return brotliDecompressSync(fs.readFileSync(file)).equals(content);
  } catch {
    return false;
  }
}

/** Compressing takes a minute for all of them, so what plugin/ or an earlier build has is used again. */
function compressed(name, content) {
  const built = path.join(root, 'plugin', FOLDER, name);
  if (holds(built, content)) return fs.readFileSync(built);
  const cached = path.join(CACHE, `${createHash('sha256').update(content).digest('hex')}.br`);
  if (holds(cached, content)) return fs.readFileSync(cached);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_LGWIN]: 24,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  const bytes = brotliCompressSync(content, { params });
  fs.mkdirSync(CACHE, { recursive: true });
  fs.writeFileSync(`${cached}.${process.pid}`, bytes);
  fs.renameSync(`${cached}.${process.pid}`, cached);
  return bytes;
}

const packageOf = (file) => path.join(root, 'node_modules', file.split('/')[0]);

function licenses() {
  const packages = [...new Set(Object.values(FILES).map((file) => file.split('/')[0]))].sort();
  const parts = packages.map((name) => {
    const folder = packageOf(name);
    const { version, license } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
    const text = fs.readFileSync(path.join(folder, 'LICENSE'), 'utf8').replaceAll('\r\n', '\n').trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return `The files in this folder come from these packages.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

/** The files below plugin/ that belong to the index: name relative to plugin/, and either text or WebAssembly. */
function wasmFiles() {
  const files = Object.entries(FILES).map(([name, file]) => ({
    name: path.join(FOLDER, `${name}.wasm.br`),
    content: fs.readFileSync(path.join(root, 'node_modules', file)),
  }));
  return { files, text: { name: path.join(FOLDER, 'LICENSES.txt'), contents: Buffer.from(licenses()) } };
}

/** Writes them below `out`. Returns name and size of each. */
export function writeWasm(out) {
  const { files, text } = wasmFiles();
  fs.mkdirSync(path.join(out, FOLDER), { recursive: true });
  const all = [...files.map(({ name, content }) => ({ name, contents: compressed(path.basename(name), content) })), text];
  for (const { name, contents } of all) fs.writeFileSync(path.join(out, name), contents);
  return all.map(({ name, contents }) => ({ name, size: contents.length }));
}

/** Names of those that are not what the packages hold. */
export function staleWasm(out) {
  const { files, text } = wasmFiles();
  const stale = files.filter(({ name, content }) => !holds(path.join(out, name), content)).map(({ name }) => name);
  const there = path.join(out, text.name);
  return fs.existsSync(there) && fs.readFileSync(there).equals(text.contents) ? stale : [...stale, text.name];
}
