import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { analyzeShell } from '../../../mcp-server/src/guards/shell/analyze.ts';
import '../seed.ts';
import { times, tried } from '../soak.ts';
import { CONTEXT, layer1 } from './world.ts';

/** Milliseconds of processor time. The goal is 200, and the bench shows it; here it is about what grows without bounds. */
const PATIENCE = 2_000;

const WRAPPERS = [
  'env',
  'nice',
  'sudo',
  'xargs',
  'command',
  'nohup',
  'timeout 1',
  'find . -exec',
  'time',
  'exec',
  'stdbuf -oL',
  'fd x -x',
  'docker run -v .:/w x',
];
const list = (count: number): string[] => Array.from({ length: count }, (_, index) => `/tmp/f${index}`);
const chain = (count: number, last: string): string =>
  `${Array.from({ length: count }, (_, index) => `f${index}() { f${index + 1}; }; `).join('')}f${count}() { ${last}; }; f0`;

const HOSTILE: Record<string, string> = {
  'a megabyte of commands': 'echo "a b" | sort; '.repeat(52_000),
  'a megabyte in one word': `echo ${'a'.repeat(1_000_000)}`,
  'unbalanced quotes': 'echo "'.repeat(20_001),
  'unclosed substitutions': '$('.repeat(50_000),
  'deep substitutions': `${'echo $('.repeat(3_000)}${')'.repeat(3_000)}`,
  'many braces': `echo ${'{a,b}'.repeat(60)}`,
  'deep braces': `echo ${'{a,'.repeat(20_000)}`,
  'open parentheses': '('.repeat(50_000),
  'here-documents never closed': 'cat <<EOF\n$('.repeat(8_000),
  'a value that doubles': `a=x; ${'a=$a$a; '.repeat(60)}`,
  'nested loops': `${'for i in 1 2 3 4 5 6 7 8 9; do '.repeat(30)}rm $i;${' done;'.repeat(30)}`,
  'a function that calls itself twice': 'f() { f; f; }; f',
  'values with many alternatives': `${Array.from({ length: 40 }, (_, index) => `if x; then v${index}=a; else v${index}=b; fi`).join(';')}; rm ${Array.from({ length: 40 }, (_, index) => `$v${index}`).join('')}`,
  'a program of brackets': `python3 -c "${'('.repeat(100_000)}"`,
  'a program of calls': `python3 -c "${"x=open(a,'w');".repeat(5_000)}"`,
  'statements that only begin': `sqlite3 app.db <<'END'\n${'\nwith'.repeat(12_000)}\nEND`,
  'statements of nothing but lines': `sqlite3 app.db <<'END'\n${'\n'.repeat(60_000)}x\nEND`,
  'copies that end nowhere': `duckdb app.db <<'END'\n${'copy to '.repeat(7_500)}\nEND`,
  'an editor command of blanks': `vim -c '${' '.repeat(200_000)}x'`,
  'a sed program of brackets': `sed "${'s/[/'.repeat(20_000)}"`,
  ...Object.fromEntries(WRAPPERS.map((wrapper) => [`only ${wrapper}`, `${wrapper} `.repeat(10_000)])),
  'a glob of stars': `${'*'.repeat(20_000)}!`,
  'globs of stars': `${'*a'.repeat(20)}!;`.repeat(5_000),
  'a glob of classes': '[ab]*'.repeat(8_000),
  'many redirections': `echo x${' >/tmp/a'.repeat(20_000)}`,
  'a loop over many values': `for f in ${list(30_000).join(' ')}; do sed -i s/x/y/ $f; done`,
  'a long text many times': `x='${'true;'.repeat(8_000)}'; for i in {1..100}; do eval "$x"; done`,
  'a long program many times': `for i in {1..100}; do python3 -c "${"x=open(a,'w');".repeat(5_000)}"; done`,
  'a long chain of functions': chain(3_000, 'true'),
  'many variables': Array.from({ length: 10_000 }, (_, index) => `v${index}=a;`).join(''),
  'many links to links': `${Array.from({ length: 2_000 }, (_, at) => `ln -s /tmp/l${at} /tmp/l${at + 1};`).join('')}${'rm /tmp/l2000/a;'.repeat(2_000)}`,
  'PowerShell comments that never end': `pwsh -c '${'<#'.repeat(300_000)}'`,
  'PowerShell texts that never end': `pwsh -c '${'@"\n'.repeat(200_000)}'`,
  'PowerShell in PowerShell': `pwsh -c "${'cd a;'.repeat(40_000)}"`,
};

describe('an answer comes in time, whatever is asked', () => {
  test.each(Object.keys(HOSTILE))('%s', (name) => {
    analyzeShell('warm up; rm x | sed -n 1p', CONTEXT);
    const before = process.cpuUsage();
    analyzeShell(HOSTILE[name] ?? '', CONTEXT);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(PATIENCE);
  });
});

test('any text gets an answer', () => {
  const piece = fc.constantFrom(
    '"',
    "'",
    '`',
    '$(',
    ')',
    '${',
    '}',
    '<<E',
    '\n',
    'E',
    '|',
    '&',
    ';',
    '>',
    'a',
    ' ',
    '\\',
    '((',
    '[[',
    'if',
    'for',
    'case',
    'in',
    '#',
    '\uE000',
    '\uE001',
    '{a,',
    'python3 -c',
    '*',
    '~',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
        fc.string({ unit: 'binary' }),
      ),
      (command) => {
        const { writes, notes } = analyzeShell(command, CONTEXT);
        expect(Array.isArray(writes)).toBe(true);
        expect(notes.filter((note) => note.startsWith('not judged to the end'))).toEqual([]);
      },
    ),
    { numRuns: times(5_000) },
  );
  tried('garbage given to the shell analysis', times(5_000));
});

test('a write before the part that is too long is still found', () => {
  const long = `cat > src/a.js <<'EOF'\n${'don\'t > "panic"\n'.repeat(60_000)}EOF\n`;
  expect(analyzeShell(long, CONTEXT).writes).toHaveLength(1);
});

test('what cannot be parsed is reported, and only what shows a write is denied', () => {
  expect(analyzeShell('echo "open', CONTEXT)).toMatchObject({ writes: [], unparsable: true });
  expect(analyzeShell('rm a; echo "open', CONTEXT)).toMatchObject({ writes: [{ target: 'a' }], unparsable: true });
});

test('a command of 10 KB takes a few milliseconds', () => {
  const command = 'cd src && grep -n "foo bar" x.ts | head -5\nsed -n "1,20p" a.js\ngit log --oneline -5 2>&1 | tail -3\n'.repeat(100);
  const times: number[] = [];
  for (let round = 0; round < 120; round++) {
    const before = process.cpuUsage();
    analyzeShell(command, CONTEXT);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1_000);
  }
  times.sort((left, right) => left - right);
  const [median = 0, late = 0] = [times[60], times[113]];
  console.log(`10 KB: median ${median.toFixed(2)} ms, p95 ${late.toFixed(2)} ms of processor time`);
  expect(median).toBeLessThan(15);
});

test.each<[string, string, boolean]>([
  ['behind 65,536 characters of one word', `echo ${'a'.repeat(70_000)}; `, false],
  ['behind a megabyte of a here-document', `cat > /tmp/x <<'E'\n${"don't\n".repeat(150_000)}E\n`, false],
  ['behind more commands than are read', ': ;'.repeat(250_000), true],
  ['behind more words than are read', `echo ${'a '.repeat(400_000)};`, true],
  ['behind more escapes than are read', `echo "${'\\"a'.repeat(200_000)}";`, true],
  ['behind more than a megabyte', `echo ${'a'.repeat(1_048_576)}; `, true],
])('a write %s is found, or the end is said to be unread', (_where, start, unread) => {
  const verdict = analyzeShell(`${start}rm src/a.js`, CONTEXT);
  expect({ unread: verdict.unread, found: verdict.writes.length > 0 }).toEqual({ unread, found: !unread });
});

test('an ordinary command is read to its end', () => {
  expect(analyzeShell('for f in src/*; do grep -n x "$f"; done', CONTEXT).unread).toBe(false);
  expect(analyzeShell(`cat > /tmp/x <<E\n${'a line of $text\n'.repeat(5_000)}E\n`, CONTEXT).unread).toBe(false);
});

test('how a command begins is judged, though its end is not read', () => {
  const verdict = analyzeShell(`cat > src/a.js <<E\n${'$x '.repeat(100_000)}\nE\n`, CONTEXT);
  expect(verdict).toMatchObject({ unread: true, writes: [{ target: 'src/a.js' }] });
});

describe('what lies behind a command of wrappers is judged, and what they run counts as unread', () => {
  test.each(WRAPPERS)('%s', (wrapper) => {
    const verdict = analyzeShell(`${`${wrapper} `.repeat(900)}true; git commit -am x; rm -rf src`, CONTEXT);
    expect(verdict.writes.map(({ by }) => by)).toEqual(expect.arrayContaining(['git commit', 'rm']));
    // `time` is grammar and nests nothing; a container in a container does not see this tree.
    expect(verdict.unread).toBe(!/^(time$|docker)/.test(wrapper));
  });

  test('layer 1 refuses it as well', () => {
    const commands = WRAPPERS.map((wrapper) => `${`${wrapper} `.repeat(900)}true; git commit -am x; rm -rf src`);
    const findings = layer1(commands);
    expect(commands.filter((_, index) => findings[index]?.length === 0)).toEqual([]);
  });

  test('as many as someone writes are followed', () => {
    const command = 'sudo -E env A=1 timeout 5 nice -n 5 ionice -c3 nohup stdbuf -oL xargs -n 1 bash -c';
    expect(analyzeShell(`${command} 'cat x'`, CONTEXT)).toMatchObject({ writes: [], unread: false });
    expect(analyzeShell(`${command} 'rm src/a.js'`, CONTEXT)).toMatchObject({ writes: [{ target: 'src/a.js' }], unread: false });
  });
});

describe('what is cut off is unread only where it could write', () => {
  const HUNDREDS = list(300);
  const cases = HUNDREDS.map((path, index) => `${index}) d=${path};;`).join(' ');
  const many = list(30_000).join(' ');
  test.each<[string, string, boolean]>([
    ['a loop that writes', `for f in ${many} src/a.js; do sed -i s/x/y/ $f; done`, true],
    ['a loop that writes to a name made of the value', `for f in ${many} src/a.js; do sed -i s/x/y/ \${f%.js}.ts; done`, true],
    ['a loop that runs the value', `for f in ${'true '.repeat(30_000)} 'rm -rf src'; do $f; done`, true],
    ['a loop that reads', `for f in ${many} src/a.js; do grep x $f 2>/dev/null | head -3; done`, false],
    ['a loop that reads and keeps one log', `for f in ${many} src/a.js; do grep x $f >> /tmp/log; done`, false],
    ['braces that are written', `rm {${HUNDREDS.join(',')},a}`, true],
    ['braces that are read', `cat {${HUNDREDS.join(',')},a}`, false],
    ['a sequence', 'mkdir -p /tmp/d{1..500}; for i in {1..500}; do echo $i; done', false],
    ['alternatives that are written', `case $1 in ${cases} z) d=src/a;; esac; rm $d`, true],
    ['alternatives that are entered', `case $1 in ${cases} z) d=src;; esac; cd $d; rm a`, true],
    ['alternatives that are read', `case $1 in ${cases} z) d=src/a;; esac; cat $d`, false],
    ['arguments of a function that calls itself', `f() { rm $1; shift; f "$@"; }; f ${list(17).join(' ')} src/a`, true],
    ['a function that tries again', 'retry() { "$@" || { sleep 1; retry "$@"; }; }; retry npm test', false],
    ['a function that counts down', 'n() { c=$1; shift; "$@" || n $((c-1)) "$@"; }; n 5 npm test', false],
    ['a function that walks a tree', 'w() { for x in "$1"/*; do [ -d "$x" ] && w "$x"; grep y "$x"; done; }; w src', false],
    ['a long value that is run', `x='${'#aaaaaaaaaaaaa\n'.repeat(6_000)}rm a'; eval "$x"`, true],
    ['a long value that is printed', `x='${'#aaaaaaaaaaaaa\n'.repeat(6_000)}rm a'; echo "$x" | wc -c`, false],
    ['a program of many calls', `python3 -c "${"open('x');".repeat(500)}open('a', 'w')"`, true],
    ['a script that printf writes', `printf '%s\\n' ${Array(40).fill(HUNDREDS.join(' ')).join(' ')} 'rm a' | bash`, true],
    [
      'links to links',
      `ln -s /home/dev/app /tmp/l0; ${Array.from({ length: 80 }, (_, at) => `ln -s /tmp/l${at} /tmp/l${at + 1}; `).join('')}rm /tmp/l80/a`,
      true,
    ],
    ['sums of sums', `${Array.from({ length: 80 }, (_, at) => `x${at}=x${at + 1}; `).join('')}x80='a[$(touch q)]'; ((x0))`, true],
    ['an editor command', `view -c '${'a'.repeat(2_000)} | call system("rm a")'`, true],
    ['PowerShell of many statements', `pwsh -c "${'cd a;'.repeat(6_000)}rm a"`, true],
  ])('%s', (_what, command, unread) => {
    const verdict = analyzeShell(command, CONTEXT);
    expect({ unread: verdict.unread, writes: verdict.writes }).toEqual({ unread, writes: [] });
  });
});

test('an honest command of 74 KB is read to its end', () => {
  const line = (index: number) =>
    `grep -n "foo ${index}" src/x${index}.ts | head -5; X=$(sed -n 1,${index}p a.js | sort | uniq -c); echo "$X"`;
  const command = Array.from({ length: 800 }, (_, index) => line(index)).join('\n');
  expect(analyzeShell(command, CONTEXT)).toMatchObject({ unread: false, writes: [] });
  expect(analyzeShell(`${command}\nrm src/a.js`, CONTEXT).writes).toHaveLength(1);
});

test('the work of other threads and a busy machine change no verdict', () => {
  const command = `${'true; '.repeat(3_000)}rm src/a.js`;
  let passed = performance.now();
  // Each look at the clock finds 50 ms gone, and all threads together busy all the time.
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (passed += 50));
  const processor = vi.spyOn(process, 'cpuUsage').mockImplementation(() => ({ user: 1e9 * passed, system: 0 }));
  try {
    expect(analyzeShell(command, CONTEXT)).toMatchObject({ unread: false, writes: [{ by: 'rm' }] });
  } finally {
    clock.mockRestore();
    processor.mockRestore();
  }
});
