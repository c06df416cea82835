import type { Call } from './call.ts';
import { absolute, normalize } from './targets.ts';
import { plain, UNKNOWN } from './values.ts';

/** `bash -c text`, `bash file`, `… | bash`: the text is judged like the command itself, where it can be seen. */
export function runShell(call: Call): string {
  const { args, scope, evaluator } = call;
  let code = false;
  let parseOnly = false;
  let fromInput = false;
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '--' || arg === '-') {
      at++;
      break;
    }
    if (!/^[-+]./.test(arg)) break;
    if (/^--(init-file|rcfile)$/.test(arg)) at++;
    if (arg.startsWith('--')) continue;
    if (arg.includes('c')) code = true;
    if (arg.includes('n')) parseOnly = true;
    if (arg.includes('s')) fromInput = true;
    if (/[oO]$/.test(arg)) at++;
  }
  const operands = args.slice(at);
  if (parseOnly) return '';
  const inner = scope.fork();
  inner.functions = new Map();
  inner.aliases = new Map();
  if (code) {
    inner.positional = operands.slice(2);
    return operands[0] === undefined ? '' : evaluator.text(plain(operands[0]), inner, call.stdin);
  }
  if (operands.length === 0 || fromInput) {
    inner.positional = [...operands];
    return call.stdin === null ? UNKNOWN : evaluator.text(plain(call.stdin), inner, null);
  }
  const path = absolute(operands[0] ?? '', scope.folder, scope);
  const text = operands[0] === '/dev/stdin' ? call.stdin : path === null ? undefined : evaluator.files.get(normalize(path));
  inner.positional = operands.slice(1);
  return text == null ? UNKNOWN : evaluator.text(plain(text), inner, call.stdin);
}
