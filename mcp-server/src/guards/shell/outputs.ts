import type { Call } from './call.ts';
import { absolute, normalize } from './targets.ts';
import { isKnown, plain, UNKNOWN, UNKNOWN_NAME } from './values.ts';

const TREE_LISTING = `./${UNKNOWN}\n`;

/** What a reading command prints, where later commands may depend on it; unknown for all others. */
export function outputOf(call: Call): string {
  const printer = PRINTERS.get(call.name);
  return printer === undefined ? UNKNOWN : printer(call);
}

type Printer = (call: Call) => string;

const PRINTERS = new Map<string, Printer>([
  ['cat', concatenated],
  ['tac', concatenated],
  ['tee', (call) => call.stdin ?? UNKNOWN],
  ['sponge', (call) => call.stdin ?? UNKNOWN],
  ...['grep', 'egrep', 'fgrep', 'rg', 'ag', 'ack'].map((name): [string, Printer] => [name, searched]),
  ...['sort', 'uniq', 'head', 'tail', 'shuf', 'nl', 'column'].map((name): [string, Printer] => [name, selected]),
  ...['cut', 'tr', 'paste', 'fold'].map((name): [string, Printer] => [name, reshaped]),
  ['ls', listed],
  ['git', gitOutput],
  [
    'rev',
    (call) =>
      (call.stdin ?? UNKNOWN)
        .split('\n')
        .map((line) => [...line].reverse().join(''))
        .join('\n'),
  ],
  ['base64', (call) => decoded(call, 'base64')],
  ['gbase64', (call) => decoded(call, 'base64')],
  ['xxd', (call) => (call.args.some((arg) => /^-\w*r/.test(arg)) ? decodeHex(call.stdin ?? UNKNOWN) : UNKNOWN)],
  ['openssl', (call) => (call.args.some((arg) => /^-?(base64|enc|a)$/.test(arg)) ? decoded(call, 'base64') : UNKNOWN)],
  ['mktemp', temporary],
  ['gmktemp', temporary],
  ['basename', (call) => `${baseName(operand(call) ?? UNKNOWN)}\n`],
  ['dirname', (call) => `${folderName(operand(call) ?? UNKNOWN)}\n`],
  ['realpath', resolved],
  ['readlink', resolved],
  ['which', (call) => `/usr/bin/${operand(call) ?? ''}\n`],
  ['type', (call) => `/usr/bin/${operand(call) ?? ''}\n`],
  ['date', (call) => (call.args.some((arg) => arg.includes('/')) ? UNKNOWN_NAME : '20260101')],
  ['seq', () => '1\n'],
  ['wc', () => '0\n'],
  ...['uuidgen', 'hostname', 'whoami', 'nproc', 'uname', 'id', 'openssl-rand'].map((name): [string, Printer] => [
    name,
    () => `${UNKNOWN_NAME}\n`,
  ]),
]);

function operand(call: Call): string | undefined {
  return call.args.filter((arg) => !/^-./.test(arg)).at(-1);
}

function fileText(call: Call, name: string): string {
  const path = absolute(name, call.scope.folder, call.scope);
  return (path === null ? undefined : call.evaluator.files.get(normalize(path))) ?? UNKNOWN;
}

function concatenated(call: Call): string {
  const files = call.args.filter((arg) => !/^-./.test(arg));
  if (files.length === 0) return call.stdin ?? UNKNOWN;
  return files.map((file) => (file === '-' ? (call.stdin ?? UNKNOWN) : fileText(call, file))).join('');
}

function selected(call: Call): string {
  return call.stdin ?? UNKNOWN;
}

/** A filter that changes its lines: a listing stays one, other text is lost. */
function reshaped(call: Call): string {
  return call.stdin?.includes(`/${UNKNOWN}`) ? call.stdin : UNKNOWN;
}

/** Searches print file names with `-l`, and otherwise lines of what came in. */
function searched(call: Call): string {
  const { args } = call;
  const lists = args.some(
    (arg) => /^-[A-Za-z]*l[A-Za-z]*$/.test(arg) || /^--(files|files-with-matches|files-without-match|name-only)$/.test(arg),
  );
  if (lists) {
    const start = args.findLast((arg) => /^(\.{0,2}\/|[\w.-]+\/?$)/.test(arg) && !arg.startsWith('-'));
    return `${start?.startsWith('/') ? start : '.'}/${UNKNOWN}\n`;
  }
  return call.stdin === null ? UNKNOWN : call.stdin;
}

function listed(call: Call): string {
  const paths = call.args.filter((arg) => !/^-./.test(arg));
  return paths.length === 0 ? UNKNOWN_NAME : `${paths.map((path) => (/[\uE001-\uE003]/.test(path) ? path : UNKNOWN_NAME)).join('\n')}\n`;
}

function gitOutput(call: Call): string {
  const args = call.args.filter((arg, index) => arg !== '-C' && call.args[index - 1] !== '-C');
  const [sub = ''] = args.filter((arg) => !arg.startsWith('-'));
  const has = (pattern: RegExp): boolean => args.some((arg) => pattern.test(arg));
  const { scope, evaluator } = call;
  if (sub === 'rev-parse') {
    if (has(/^--show-toplevel$/)) return `${evaluator.judge.inside(scope.folder) ? evaluator.context.root : UNKNOWN}\n`;
    if (has(/^--(absolute-)?git-(common-)?dir$/))
      return `${evaluator.judge.inside(scope.folder) ? `${evaluator.context.root}/.git` : UNKNOWN}\n`;
    if (has(/^--show-(cdup|prefix)$/)) return '\n';
    return `${UNKNOWN_NAME}\n`;
  }
  const lists =
    sub === 'ls-files' ||
    (sub === 'ls-tree' && has(/^--name-only$/)) ||
    (/^(diff|show|log|diff-tree)$/.test(sub) && has(/^--name-(only|status)$/)) ||
    (sub === 'grep' && has(/^(-\w*l\w*|--name-only|--files-with-matches)$/)) ||
    (sub === 'status' && has(/^(-\w*s\w*|--short|--porcelain.*)$/));
  if (lists) return TREE_LISTING;
  return /^(describe|branch|symbolic-ref|merge-base|log|config)$/.test(sub) ? `${UNKNOWN_NAME}\n` : UNKNOWN;
}

function decoded(call: Call, encoding: 'base64'): string {
  const decodes = call.args.some((arg) => /^(-d|-D|--decode|-\w*d)$/.test(arg));
  const file = call.args.find((arg) => !arg.startsWith('-') && !/^(base64|enc)$/.test(arg));
  const text = file === undefined ? (call.stdin ?? UNKNOWN) : fileText(call, file);
  if (!decodes || !isKnown(text)) return UNKNOWN;
  return Buffer.from(text, encoding).toString('utf8');
}

function decodeHex(text: string): string {
  return isKnown(text) ? Buffer.from(text.replace(/\s/g, ''), 'hex').toString('utf8') : UNKNOWN;
}

function temporary(call: Call): string {
  const template = operand(call);
  if (template?.includes('/')) return `${template}\n`;
  const folder = call.scope.variables.get('TMPDIR')?.alternatives[0] ?? call.evaluator.context.tmpdir;
  return `${folder}/tmp.${UNKNOWN}\n`;
}

function baseName(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return isKnown(name) ? name : UNKNOWN_NAME;
}

function folderName(path: string): string {
  const at = path.lastIndexOf('/');
  if (at < 0) return isKnown(path) ? '.' : UNKNOWN;
  return at === 0 ? '/' : path.slice(0, at);
}

function resolved(call: Call): string {
  const path = operand(call);
  if (path === undefined) return UNKNOWN;
  const full = absolute(plain(path), call.scope.folder, call.scope);
  return `${full === null ? UNKNOWN : normalize(full)}\n`;
}
