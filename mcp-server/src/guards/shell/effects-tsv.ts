import effects from '../../../../state/shell-effects.json' with { type: 'json' };

/** The columns of the tables in hooks/lib, after the row's type. */
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

const HEADER = `# Generated from state/shell-effects.json; do not edit. Columns: type ${COLUMNS.join(' ')}`;

const asTable = (rows: readonly string[]): string => `${[HEADER, ...rows].join('\n')}\n`;

function wrapperRows(): string[] {
  return [
    ...(effects.wrappers as Entry[]).map((entry) => row('W', entry)),
    ...(effects.languages as Entry[]).map((entry) => row('L', { ...entry, mode: entry.name ?? '' })),
    ...Object.entries(effects.globals).map(([cmd, values]) => row('G', { cmd, values })),
    ...Object.entries(effects.chdir).map(([cmd, values]) => row('C', { cmd, values })),
    ...(['ignored', 'shells', 'codeVariables', 'nodeTools', 'cmakeVerbs'] as const).map((list) =>
      row('N', { cmd: list, values: effects[list] }),
    ),
  ];
}

/**
 * Layer 1's tables by file name in hooks/lib: the same rules as plain text that awk reads without a JSON parser. Their
 * freshness test writes them. A command's rules stay together in one group, in their order.
 */
export function awkTables(): Record<string, string> {
  const groups = Object.entries(effects.rules).map(([group, rules]): [string, string] => [
    `shell-effects-${group}.tsv`,
    asTable((rules as Entry[]).map((entry) => row('R', entry))),
  ]);
  return { ...Object.fromEntries(groups), 'shell-wrappers.tsv': asTable(wrapperRows()) };
}
