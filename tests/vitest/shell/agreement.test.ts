import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seed } from '../seed.ts';
import { LONG, times, tried } from '../soak.ts';
import { layer1, layer2 } from './world.ts';

const paths = fc.constantFrom(
  ...[
    'a.txt',
    'src/b.js',
    '/tmp/x',
    '../y',
    'dist/z',
    '/dev/null',
    '.readygate/state.json',
    '~/n',
    '$D/f',
    '"$D"',
    '$(pwd)/q',
    '$U/v',
    '.git/hooks/h',
    '*.js',
    '{a,b}',
    '-',
  ],
);
const readers = fc.constantFrom(
  'ls',
  'cat README.md',
  'echo "a > b"',
  'git status',
  'true',
  'pwd',
  "grep -n '>' x",
  'git ls-files',
  'find . -name x',
  'npm test',
  'mktemp',
  ':',
);
const writers = fc.oneof(
  paths.map((path) => `echo x > ${path}`),
  paths.map((path) => `rm -rf ${path}`),
  fc.tuple(paths, paths).map(([from, to]) => `cp ${from} ${to}`),
  fc.tuple(paths, paths).map(([from, to]) => `mv ${from} ${to}`),
  paths.map((path) => `sed -i s/a/b/ ${path}`),
  paths.map((path) => `tee ${path} < in`),
  paths.map((path) => `git -C ${path} commit -m x`),
  paths.map((path) => `git checkout ${path}`),
  paths.map((path) => `tar xf a.tar -C ${path}`),
  paths.map((path) => `python3 -c "open('${path.replace(/"/g, '')}', 'w')"`),
  fc.constantFrom('git add .', 'git stash', 'npm i x', 'prettier --write .', 'git fetch', 'npm ci', 'black --check .'),
);
const changes = fc.oneof(
  paths.map((path) => `cd ${path}`),
  paths.map((path) => `D=${path}`),
  fc.constantFrom(
    'D=src',
    'cd -',
    'cd src',
    'cd ..',
    'pushd /tmp',
    'popd',
    'U=$(mktemp -d)',
    'export D=/tmp',
    'unset D',
    'read -r D',
    'set -- src /tmp',
    'shift',
    'f() { rm "$1"; }',
    'f src',
    'f /tmp/x',
    'alias z="rm q"',
    'z',
  ),
);
const simple = fc.oneof({ weight: 2, arbitrary: readers }, { weight: 3, arbitrary: writers }, { weight: 3, arbitrary: changes });

const commands = fc.letrec<{ command: string }>((tie) => ({
  command: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    simple,
    fc.tuple(tie('command'), fc.constantFrom(' && ', ' || ', '; ', '\n', ' | ', ' & '), tie('command')).map((parts) => parts.join('')),
    tie('command').map((inner) => `(${inner})`),
    tie('command').map((inner) => `{ ${inner}; }`),
    tie('command').map((inner) => `if true; then ${inner}; else cd /tmp; fi`),
    tie('command').map((inner) => `if ls; then D=src; else ${inner}; fi`),
    fc.tuple(paths, tie('command')).map(([path, inner]) => `for D in ${path} /tmp; do ${inner}; done`),
    tie('command').map((inner) => `while read -r D; do ${inner}; done`),
    tie('command').map((inner) => `case $D in a) ${inner};; *) D=src;; esac`),
    tie('command').map((inner) => `g() { ${inner}; }; g a`),
    tie('command').map((inner) => `x=$(${inner})`),
    fc
      .tuple(
        fc.constantFrom(
          ...["((x='@'))", 'echo $((1 + @))', 'echo "$[ @ ]"', "for ((i='@';0;)); do :; done", 'let x=@', 'a[@]=1', "a=([1]=x ['@']=y)"],
          ...['echo #{D:@}', 'echo #{a[@]}', '[[ x -eq @ ]]', "cat <<E\n'@'\nE", 'echo "#{D:-\'@\'}"'],
        ),
        tie('command'),
      )
      .map(([form, inner]) => form.replace('#', '$').replace('@', () => `$(${inner})`)),
    fc.tuple(tie('command'), paths).map(([inner, path]) => `{ ${inner}; } > ${path}`),
    tie('command').map((inner) => `bash -c '${inner.replaceAll("'", "'\\''")}'`),
    tie('command').map((inner) => `bash <<'EOF'\n${inner}\nEOF`),
    fc
      .tuple(fc.constantFrom('timeout 5', 'env A=1', 'sudo -u x', 'xargs', 'time', 'command', 'nohup', 'find . -exec'), simple)
      .map((parts) => parts.join(' ')),
    fc
      .tuple(fc.constantFrom('"', "'", '$(', '`', ')', '}', ' #', '\\', '<<E ', '2>&1 ', '&>', ';;'), tie('command'))
      .map(([noise, inner]) => `${inner}${noise}${inner}`),
  ),
}));

const COMMANDS = times(10_000);

test(`of ${COMMANDS} generated commands (READYGATE_SEED=${seed}), layer 2 denies every one that layer 1 denies`, LONG, () => {
  const sample = fc.sample(commands.command, { numRuns: COMMANDS, seed });
  const findings = layer1(sample);
  let denied = 0;
  const alone: string[] = [];
  sample.forEach((command, index) => {
    if ((findings[index] ?? []).length === 0) return;
    denied++;
    if (!layer2(command)) alone.push(`${command}\n    => ${findings[index]?.join(', ')}`);
  });
  console.log(`layer 1 denied ${denied} of ${sample.length}`);
  alone.sort((left, right) => left.length - right.length);
  expect(alone.slice(0, 5)).toEqual([]);
  expect(denied).toBeGreaterThan(COMMANDS / 10);
  tried('generated commands, both layers', COMMANDS);
});
