// Code intelligence: indexing against universal-ctags, text search against ripgrep, queries, memory, size, and how well it ranks.
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { root } from '../scripts/setup.mjs';
import { commitAll, makeLargeRepository } from './intel-repository.mjs';
import { interleave, median, wallOf } from './measure.mjs';
import { SERVER } from './session.mjs';

const CLI = path.join(root, 'plugin/cli.cjs');
const FILES = 10_000;
const QUESTIONS = JSON.parse(fs.readFileSync(path.join(root, 'bench/intel-questions.json'), 'utf8')).questions;

const has = (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
const env = (home) => ({ PATH: process.env.PATH, HOME: home });

async function connect(folder) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [SERVER],
    cwd: folder,
    env: { ...env(folder), CLAUDE_PROJECT_DIR: folder },
    stderr: 'ignore',
  });
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(transport);
  const call = async (name, args) => {
    const { structuredContent, content, isError } = await client.callTool({ name, arguments: args }, undefined, { timeout: 600_000 });
    if (isError) throw new Error(`${name}: ${content[0].text}`);
    return { data: structuredContent, text: content[0].text };
  };
  return { client, call, pid: transport.pid };
}

const timed = async (work) => {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
};

/** Indexing from nothing as a process, against ctags as a process on the same files. */
async function throughput(name, folder, home, rounds) {
  const index = async () => {
    fs.rmSync(path.join(folder, '.readygate'), { recursive: true, force: true });
    return wallOf(process.execPath, [CLI, 'index'], { cwd: folder, env: env(home) });
  };
  if (!has('ctags')) {
    console.log(`universal-ctags is not installed: no ratio for ${name}`);
    return [{ name: `index of ${name}`, value: await index(), goal: null, unit: 'ms' }];
  }
  const ctags = () =>
    wallOf('ctags', ['-R', '--exclude=.git', '--exclude=.readygate', '-f', os.devNull, '.'], { cwd: folder, env: env(home) });
  const times = await interleave({ index, ctags }, rounds);
  return [{ name: `index of ${name} ÷ universal-ctags`, value: median(times.index) / median(times.ctags), goal: 3, unit: '×' }];
}

/** Packages as they are installed: real code in JavaScript and TypeScript. */
function makeRealRepository(folder) {
  for (const name of ['ajv', '@modelcontextprotocol/sdk', 'yaml', 'execa', 'fast-check', 'web-tree-sitter'])
    fs.cpSync(path.join(root, 'node_modules', name), path.join(folder, name.replace('/', '-')), {
      recursive: true,
      filter: (file) => !/node_modules\/.*node_modules\//.test(path.relative(root, file)),
    });
  commitAll(folder);
}

const LITERALS = ['parseCustomer', 'what is there', 'found.slice(0, limit)', 'Basket77', 'nowhere to be found'];

/** A literal through the running server, against rg as a process. */
async function literals({ call }, folder) {
  if (!has('rg')) {
    console.log('ripgrep is not installed: no ratio for search_text');
    return [];
  }
  let round = 0;
  const next = () => LITERALS[round++ % LITERALS.length];
  await call('search_text', { patterns: ['warm up'] });
  const times = await interleave(
    {
      ours: () => timed(() => call('search_text', { patterns: [next()] })),
      rg: () =>
        wallOf('rg', ['--fixed-strings', '--line-number', '--', LITERALS[round % LITERALS.length], '.'], { cwd: folder, okCodes: [0, 1] }),
    },
    25,
  );
  return [{ name: 'search_text on a literal ÷ a spawned rg', value: median(times.ours) / median(times.rg), goal: 1, unit: '×' }];
}

const QUERIES = {
  search_text: { patterns: ['parse\\w+\\(input'], regex: true },
  search_files: { query: 'file99' },
  find_definitions: { symbol: 'parseCustomer' },
  find_references: { symbol: 'parseCustomer' },
  get_symbols: { path: 'area3' },
  semantic_search: { query: 'keep what belongs to a customer', terms: ['Customer', 'items', 'store'] },
  analyze_impact: { targets: ['area0/ts/file0.ts', 'parseCustomer'] },
  review_changes: {},
  sync_index: {},
};

async function queries({ call }) {
  const rows = [];
  let largest = 0;
  for (const [name, args] of Object.entries(QUERIES)) {
    const times = [];
    for (let at = 0; at < 5; at++) {
      times.push(
        await timed(async () => {
          const { data, text } = await call(name, args);
          largest = Math.max(largest, Buffer.byteLength(text), Buffer.byteLength(JSON.stringify(data)));
        }),
      );
    }
    rows.push({ name: `  ${name}, ${FILES.toLocaleString('en')} files`, value: median(times), goal: null, unit: 'ms' });
  }
  return [...rows, { name: 'largest answer', value: largest / 1024, goal: 4, unit: 'KB' }];
}

async function changes({ call }, folder) {
  const times = [];
  for (let at = 0; at < 9; at++) {
    const name = `visibleAtOnce${at}`;
    fs.appendFileSync(path.join(folder, `area${(at * 5) % 50}/ts/file${at * 5}.ts`), `export const ${name} = ${at};\n`);
    times.push(
      await timed(async () => {
        const { data } = await call('find_definitions', { symbol: name });
        if (data.results.length !== 1) throw new Error(`${name} was not visible in the next query`);
      }),
    );
  }
  const still = [];
  for (let at = 0; at < 9; at++) still.push(await timed(() => call('find_definitions', { symbol: 'visibleAtOnce1' })));
  return [
    { name: 'look at 10,000 files before a query, nothing changed', value: median(still), goal: 150, unit: 'ms' },
    { name: 'a changed file, visible in the next query', value: median(times), goal: null, unit: 'ms' },
  ];
}

/** The most memory that the server ever had, with its threads; where the system tells. */
function memory({ pid }) {
  const status = `/proc/${pid}/status`;
  if (!fs.existsSync(status)) return [];
  const peak = Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync(status, 'utf8'))?.[1] ?? 0);
  return [{ name: 'memory of the server, at its peak', value: peak / 1024, goal: 400, unit: 'MB' }];
}

/** What code intelligence adds to the plugin, compressed as a package would be. */
function size() {
  const plugin = path.join(root, 'plugin');
  const programs = fs.readdirSync(plugin).filter((name) => name.startsWith('intel'));
  const code = programs.reduce((sum, name) => sum + brotliCompressSync(fs.readFileSync(path.join(plugin, name))).length, 0);
  const grammars = fs
    .readdirSync(path.join(plugin, 'grammars'))
    .reduce((sum, name) => sum + fs.statSync(path.join(plugin, 'grammars', name)).size, 0);
  return [{ name: 'what it adds to the plugin, compressed', value: (code + grammars) / 1024 / 1024, goal: null, unit: 'MB' }];
}

/** Mean reciprocal rank of the first right file, and how often one is among ten; on this repository's own source. */
async function ranking() {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'readygate-bench-own-')));
  const listed = execFileSync('git', ['ls-files', '-z', '--', ':!plugin', ':!bench'], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter(Boolean);
  for (const file of listed) {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.copyFileSync(path.join(root, file), path.join(folder, file));
  }
  commitAll(folder);
  const server = await connect(folder);
  await server.call('sync_index', {});
  const rows = [];
  for (const terms of [false, true]) {
    let reciprocal = 0;
    let recalled = 0;
    for (const question of QUESTIONS) {
      const { data } = await server.call('semantic_search', { query: question.ask, ...(terms ? { terms: question.terms } : {}) });
      const files = [...new Set(data.results.map((row) => row.slice(0, row.indexOf(':'))))];
      const at = files.findIndex((file) => question.in.includes(file));
      if (at >= 0) {
        reciprocal += 1 / (at + 1);
        recalled += 1;
      }
    }
    const how = terms ? 'with terms' : 'without terms';
    rows.push({
      name: `semantic_search, ${QUESTIONS.length} questions, ${how}: MRR`,
      value: reciprocal / QUESTIONS.length,
      goal: null,
      unit: '',
    });
    rows.push({ name: `  ${how}: recall@10`, value: recalled / QUESTIONS.length, goal: null, unit: '' });
  }
  await server.client.close();
  fs.rmSync(folder, { recursive: true, force: true });
  return rows;
}

/** Rows for the table: {name, value, goal, unit}. */
export async function intelBench() {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'readygate-bench-intel-')));
  const [large, real] = ['large', 'real'].map((name) => path.join(folder, name));
  makeLargeRepository(large, FILES);
  makeRealRepository(real);
  const rows = [...(await throughput('10,000 generated files', large, folder, 3)), ...(await throughput('npm packages', real, folder, 3))];
  const server = await connect(large);
  await server.call('sync_index', {});
  rows.push(...(await changes(server, large)), ...(await literals(server, large)), ...(await queries(server)), ...memory(server));
  await server.client.close();
  rows.push(...size(), ...(await ranking()));
  fs.rmSync(folder, { recursive: true, force: true });
  return rows;
}

if (process.argv[1] === path.join(root, 'bench/intel.mjs'))
  for (const { name, value, goal, unit } of await intelBench())
    console.log(name.padEnd(60), value.toFixed(2), unit, goal === null ? '' : `goal ${goal}`);
