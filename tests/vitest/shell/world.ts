import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { analyzeShell, type ShellContext } from '../../../mcp-server/src/guards/shell/analyze.ts';
import { awkTables } from '../../../mcp-server/src/guards/shell/effects-tsv.ts';

const ROOT = '/home/dev/app';
const PROJECT = new URL('../../../', import.meta.url).pathname;

export interface Row {
  id: string;
  command: string;
  label: 'write' | 'read' | 'unknown';
  kind: string;
  ambiguous?: boolean;
  repeat?: { unit: string; count: number; core?: string; close?: string };
}

/** The rows of a case table, with repeated texts written out. */
export function rows(name: string): Row[] {
  const lines = readFileSync(`${PROJECT}tests/cases/${name}`, 'utf8').trim().split('\n');
  return lines.map((line) => {
    const row = JSON.parse(line) as Row;
    if (row.repeat === undefined) return row;
    const { unit, count, core = '', close = '' } = row.repeat;
    return { ...row, command: row.command.replace('@@REP@@', () => unit.repeat(count)) + core + close.repeat(count) };
  });
}

/** The corpus counts only state.json as guard state; GUARDS.md protects the whole folder. */
function expected(row: Row): Row['label'] {
  const touchesFolder = row.label === 'read' && /(>|tee|cp \S+|sed -i .*) ?\.readygate\/plan\.md/.test(row.command);
  return touchesFolder ? 'write' : row.label;
}

function normalize(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  return `/${kept.join('/')}`;
}

/** The corpus's world: `outlink` leads to /tmp/out, everything else below the root is inside. */
function pathInside(path: string): boolean {
  const plain = normalize(path);
  if (plain === `${ROOT}/outlink` || plain.startsWith(`${ROOT}/outlink/`)) return false;
  return plain === ROOT || plain.startsWith(`${ROOT}/`);
}

export const CONTEXT: ShellContext = { cwd: ROOT, root: ROOT, home: '/home/dev', tmpdir: '/tmp', pathInside };

export function layer2(command: string): boolean {
  return analyzeShell(command, CONTEXT).writes.length > 0;
}

/** What layer 1's awk says of each command, with the second stage's decision about paths made by `pathInside`. */
export function layer1(commands: readonly string[]): string[][] {
  const parts = ['shell', 'shell-grammar', 'shell-words', 'shell-commands', 'shell-effects', 'shell-programs'];
  const files = [`${PROJECT}tests/vitest/shell/batch.awk`, ...parts.map((part) => `${PROJECT}hooks/lib/${part}.awk`)];
  const result = spawnSync(
    'awk',
    [...files.flatMap((file) => ['-f', file]), ...Object.keys(awkTables()).map((name) => `${PROJECT}hooks/lib/${name}`), '-'],
    {
      input: commands.map((command) => `${command}\n\x1e\n`).join(''),
      env: { PATH: process.env.PATH, LC_ALL: 'C', RG_CWD: ROOT, RG_ROOT: ROOT, RG_HOME: '/home/dev', RG_TMPDIR: '/tmp' },
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    },
  );
  if (result.stderr !== '') throw new Error(result.stderr);
  const answers = result.stdout.split('\x1e\n').slice(0, -1);
  if (answers.length !== commands.length) throw new Error(`${answers.length} answers to ${commands.length} commands`);
  return answers.map((answer) => answer.split('\n').filter((line) => line !== '' && counts(line)));
}

function counts(finding: string): boolean {
  const [kind = '', path = ''] = finding.split('\t');
  if (kind.startsWith('?') || kind === 'note') return false;
  if (kind === 'guard' || kind === 'hooks-off' || pathInside(path)) return true;
  return kind === 'tree' && ROOT.startsWith(`${normalize(path)}/`);
}

export interface Score {
  found: number;
  writes: number;
  denied: number;
  reads: number;
  unknownDenied: string[];
  misses: string[];
  wrong: string[];
}

export function score(table: readonly Row[], denies: (row: Row, index: number) => boolean): Score {
  const result: Score = { found: 0, writes: 0, denied: 0, reads: 0, unknownDenied: [], misses: [], wrong: [] };
  table.forEach((row, index) => {
    if (row.ambiguous) return;
    const label = expected(row);
    const denied = denies(row, index);
    const text = `${row.kind}: ${JSON.stringify(row.command).slice(0, 160)}`;
    if (label === 'write') {
      result.writes++;
      if (denied) result.found++;
      else result.misses.push(text);
    } else if (label === 'read') {
      result.reads++;
      if (denied) {
        result.denied++;
        result.wrong.push(text);
      }
    } else if (denied) result.unknownDenied.push(text);
  });
  return result;
}

export function report(title: string, result: Score): string {
  const { found, writes, denied, reads, misses, wrong } = result;
  const lines = [`${title}: writes ${found}/${writes} (${((100 * found) / writes).toFixed(2)} %), reads denied ${denied}/${reads}`];
  return [...lines, ...misses.map((miss) => `  missed ${miss}`), ...wrong.map((text) => `  wrongly denied ${text}`)].join('\n');
}
