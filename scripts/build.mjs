// Builds plugin/ from mcp-server/src: self-contained programs, since installing a plugin builds nothing.
//   node scripts/build.mjs           writes plugin/
//   node scripts/build.mjs --check   exits 1 when plugin/ is not what the source gives
//   node scripts/build.mjs --out DIR writes the same programs elsewhere, for tests
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildPage } from './page.mjs';
import { staleWasm, writeWasm } from './wasm.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The SDK brings a validator that is only needed for elicitation; ours loads it then. */
const lateValidator = {
  name: 'late-validator',
  setup({ onResolve }) {
    onResolve({ filter: /validation\/ajv-provider\.js$/ }, () => ({ path: path.join(root, 'mcp-server/src/mcp/lazy-validator.ts') }));
  },
};

/** SQLite's program looks for its WebAssembly file in its package; ours hands it over unpacked. */
const sqliteGiven = {
  name: 'sqlite-given',
  setup({ onLoad }) {
    onLoad({ filter: /node-sqlite3-wasm\.js$/ }, ({ path: file }) => ({
      contents: `var Module = { wasmBinary: globalThis.readygateSqlite };\n${fs.readFileSync(file, 'utf8')}`,
      loader: 'js',
    }));
  },
};

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'eof',
  // One byte a character: V8 reads and keeps such a program in half the time and room.
  charset: 'ascii',
  write: false,
  logLevel: 'warning',
  plugins: [lateValidator, sqliteGiven],
  // Its ES module asks for its own address, which a CommonJS program has not.
  alias: { 'web-tree-sitter': path.join(root, 'node_modules/web-tree-sitter/web-tree-sitter.cjs') },
};

const programs = [
  { ...common, entryPoints: ['mcp-server/src/main.ts'], outfile: 'plugin/server-main.cjs' },
  { ...common, entryPoints: ['mcp-server/src/launch.ts'], outfile: 'plugin/server.cjs' },
  { ...common, entryPoints: ['mcp-server/src/cli.ts'], outfile: 'plugin/cli.cjs' },
  { ...common, entryPoints: ['mcp-server/src/telemetry/exporter.ts'], outfile: 'plugin/telemetry.cjs' },
  {
    ...common,
    entryPoints: ['mcp-server/src/web/main.ts'],
    outfile: 'plugin/dashboard.cjs',
    define: { READYGATE_PAGE: JSON.stringify(await buildPage()) },
  },
  { ...common, entryPoints: ['mcp-server/src/intel/worker.ts'], outfile: 'plugin/intel.cjs' },
  { ...common, entryPoints: ['mcp-server/src/intel/parse/worker.ts'], outfile: 'plugin/intel-parse.cjs' },
  { ...common, entryPoints: ['mcp-server/src/intel/search/worker.ts'], outfile: 'plugin/intel-scan.cjs' },
];

/** What esbuild leaves as it is, in regular expressions and licenses, is escaped, too. */
const ascii = (text) => text.replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

const outputs = (await Promise.all(programs.map((options) => build(options)))).flatMap((result) => result.outputFiles);
const built = outputs.map(({ path: file, text }) => ({ path: file, contents: Buffer.from(ascii(text)) }));

if (process.argv.includes('--check')) {
  const programsStale = built.filter(({ path: file, contents }) => !fs.existsSync(file) || !fs.readFileSync(file).equals(contents));
  const stale = [...programsStale.map(({ path: file }) => path.relative(root, file)), ...staleWasm(path.join(root, 'plugin'))];
  for (const file of stale) console.error(`${file} does not match its source: run npm run build and commit plugin/`);
  if (stale.length === 0) console.log(`plugin/ matches its source (${built.length} files)`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  const at = process.argv.indexOf('--out');
  const out = at < 0 ? path.join(root, 'plugin') : path.resolve(process.argv[at + 1]);
  fs.mkdirSync(out, { recursive: true });
  for (const { path: file, contents } of built) {
    const target = path.join(out, path.basename(file));
    fs.writeFileSync(target, contents);
    console.log(`${path.relative(root, target)}  ${Math.round(contents.length / 1024)} KB`);
  }
  const wasm = writeWasm(out);
  const sum = wasm.reduce((total, { size }) => total + size, 0);
  console.log(`${path.relative(root, path.join(out, 'grammars'))}  ${wasm.length} files, ${Math.round(sum / 1024)} KB`);
}
