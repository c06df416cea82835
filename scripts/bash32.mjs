// Constructs that bash 3.2 (macOS) does not know, or gets wrong, and options that only GNU tools have: none may stand in
// what Claude Code starts. A line that is guarded ends with a comment `# bash 4: why` or `# GNU: why`.
import fs from 'node:fs';
import path from 'node:path';
import { root } from './setup.mjs';

/** [what it is, how it looks]. Comments and single-quoted text (awk and jq programs) are taken out before. */
const BASH_4 = [
  ['associative array or name reference', /\b(?:declare|local|typeset|readonly)\s+-[a-zA-Z]*[An][a-zA-Z]*\b/],
  ['declare -g', /\b(?:declare|typeset)\s+-[a-zA-Z]*g/],
  ['case conversion', /\$\{[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?(?:,,?|\^\^?)/],
  ['parameter transformation', /\$\{[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?@[A-Za-z]\}/],
  ['mapfile', /(?:^|[\s;&|(])(?:mapfile|readarray)\b/],
  ['printf of a time', /printf\b.*%(?:-?\d+)?\(/],
  ['printf -v of an array element', /printf\s+-v\s*["']?[A-Za-z_]\w*\[/],
  ['an array that may be empty, under set -u', /(?:^|[^+@}\w])"\$\{[A-Za-z_]\w*\[[@*]\](?::[^}]*)?\}"/, 'may be empty'],
  ['&>>', /&>>/],
  ['|&', /\|&/],
  ['coproc', /(?:^|[\s;&|(])coproc\b/],
  ['read -N or -i', /\bread\b(?:\s+-[a-zA-Z]+(?:\s+\S+)?)*\s+-[a-zA-Z]*[Ni]/],
  ['a time limit that is a fraction', /\bread\b.*-t\s*\d*\.\d/],
  ['wait -n', /\bwait\s+-n/],
  ['[[ -v', /\[\[\s*!?\s*-v\s/],
  ['a negative length or index', /\$\{[A-Za-z_]\w*:[^}:]*:\s*-\d|\$\{[A-Za-z_]\w*\[-\d/],
  ['a variable of a later bash', /\$\{?(?:BASHPID|EPOCHSECONDS|EPOCHREALTIME|SRANDOM|BASH_ARGV0|BASH_XTRACEFD)\b/],
  ['a shell option of a later bash', /\bshopt\s+-\w+\s+(?:globstar|lastpipe|inherit_errexit|autocd|dirspell|checkjobs|assoc_expand_once)/],
  ['a descriptor by name', /\bexec\s+\{[A-Za-z_]\w*\}[<>]/],
  ['a fall through of case', /;;?&(?:\s|$)/],
  ['a sequence with steps or leading zeros', /\{(?:0\d+\.\.\d+|\w+\.\.\w+\.\.\w+)\}/],
  ['case inside $( )', /\$\(\s*case\b/],
];

const GNU = [
  ['sed -i or -r', /\bsed\b(?:\s+-[a-zA-Z]+)*\s+-[a-zA-Z]*[ir]/],
  ['grep -P', /\bgrep\b(?:\s+-[a-zA-Z]+)*\s+-[a-zA-Z]*P/],
  ['readlink -f, realpath', /\breadlink\s+-[a-z]*[fem]|(?:^|[\s;&|(])realpath\b/],
  ['stat -c', /\bstat\b.*\s(?:-c|--format|--printf)\b/],
  ['date -d, %N', /\bdate\b.*(?:\s-d|%N)/],
  ['xargs -r or -d', /\bxargs\b(?:\s+-[a-zA-Z]+)*\s+-[a-zA-Z]*[rd]\b/],
  ['find -printf, -regextype', /\bfind\b.*\s-(?:printf|regextype)\b/],
  ['sort -V', /\bsort\s+-[a-zA-Z]*V/],
  [
    'a long option of a Unix tool',
    /(?:^|[\s;&|(])(?:cp|mv|rm|mkdir|ls|cat|head|tail|sort|uniq|cut|tr|wc|touch|chmod|ln|sed|grep|awk)\s+(?:-\w+\s+)*--[a-z]/,
  ],
  ['timeout, nproc, tac, shuf', /(?:^|[\s;&|(])(?:timeout|nproc|tac|shuf)\s/],
];

/** The line's code alone: no comment, and nothing in single quotes. `open` tells whether a quote of an earlier line is open. */
function codeOf(line, open) {
  let code = '';
  let single = open;
  let double = false;
  for (let at = 0; at < line.length; at++) {
    const char = line[at];
    if (single) {
      if (char === "'") single = false;
      continue;
    }
    if (char === '\\') {
      code += char + (line[at + 1] ?? '');
      at += 1;
    } else if (char === "'" && !double) single = true;
    else if (char === '#' && !double && (at === 0 || /[\s;(]/.test(line[at - 1]))) break;
    else {
      if (char === '"') double = !double;
      code += char;
    }
  }
  return { code, single };
}

/** Every construct that is not for bash 3.2 or BSD tools: `file:line: what: text`. */
export function findBash4(file, text) {
  const found = [];
  let open = false;
  text.split('\n').forEach((line, index) => {
    const { code, single } = codeOf(line, open);
    open = single;
    const guarded = /#.*\b(bash 4|GNU|never empty)\b: ?\S/.exec(line)?.[1];
    for (const [what, pattern, kind] of BASH_4) {
      const excused = kind === 'may be empty' ? guarded === 'never empty' : guarded === 'bash 4';
      if (!excused && pattern.test(code)) found.push(`${file}:${index + 1}: ${what}: ${line.trim()}`);
    }
    for (const [what, pattern] of GNU) {
      if (guarded !== 'GNU' && pattern.test(code)) found.push(`${file}:${index + 1}: ${what}: ${line.trim()}`);
    }
  });
  return found;
}

/** What Claude Code, or a user's shell, starts. */
export function bashFiles() {
  const hooks = fs.readdirSync(path.join(root, 'hooks'), { recursive: true }).map((name) => `hooks/${name}`);
  const programs = fs.readdirSync(path.join(root, 'bin')).map((name) => `bin/${name}`);
  return [...hooks, ...programs].filter((file) => {
    const full = path.join(root, file);
    return fs.statSync(full).isFile() && (file.endsWith('.sh') || fs.readFileSync(full, 'utf8').startsWith('#!/bin/bash'));
  });
}

if (process.argv[1] && import.meta.url.endsWith(path.basename(process.argv[1]))) {
  const found = bashFiles().flatMap((file) => findBash4(file, fs.readFileSync(path.join(root, file), 'utf8')));
  for (const line of found) console.error(line);
  process.exitCode = found.length === 0 ? 0 : 1;
}
