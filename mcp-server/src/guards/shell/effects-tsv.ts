import effects from '../../../../state/shell-effects.json' with { type: 'json' };

/** The columns of hooks/lib/shell-effects.tsv, after the row's type. */
const COLUMNS = [
  'cmd',
  'sub',
  'sub2',
  'style',
  'values',
  'attach',
  'when',
  'unless',
  'files',
  'dir',
  'code',
  'chdir',
  'targets',
  'skip',
  'min',
  'max',
  'kind',
  'match',
  'notMatch',
  'notWord',
  'assign',
  'mode',
  'calls',
  'flags',
] as const;

const FLAGS = ['bundle', 'modes', 'afterDashes', 'outs', 'deep', 'remote', 'dashFree', 'versions', 'creates'] as const;

type Entry = Readonly<Record<string, string | number | boolean>>;

function row(type: string, entry: Entry): string {
  const flags = [...FLAGS.filter((flag) => entry[flag] === true), ...(entry.assign === true ? ['assign'] : [])].join(' ');
  const cells = COLUMNS.map((column) => {
    if (column === 'flags') return flags;
    const value = entry[column];
    return value === undefined || value === true ? '' : String(value);
  });
  return [type, ...cells].join('\t');
}

/** Layer 1's table: the same rules as plain text that awk reads without a JSON parser. Write it with scripts or the freshness test. */
export function effectsTsv(): string {
  const lines = [`# Generated from state/shell-effects.json; do not edit. Columns: type ${COLUMNS.join(' ')}`];
  for (const entry of effects.rules as Entry[]) lines.push(row('R', entry));
  for (const entry of effects.wrappers as Entry[]) lines.push(row('W', entry));
  for (const entry of effects.languages as Entry[]) lines.push(row('L', { ...entry, mode: entry.name ?? '' }));
  for (const [cmd, values] of Object.entries(effects.globals)) lines.push(row('G', { cmd, values }));
  for (const [cmd, values] of Object.entries(effects.chdir)) lines.push(row('C', { cmd, values }));
  for (const list of ['ignored', 'shells', 'codeVariables', 'nodeTools'] as const)
    lines.push(row('N', { cmd: list, values: effects[list] }));
  return `${lines.join('\n')}\n`;
}
