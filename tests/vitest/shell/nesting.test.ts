import fc from 'fast-check';
import { expect, test } from 'vitest';
import '../seed.ts';
import { LONG, times, tried } from '../soak.ts';
import { layer1, layer2 } from './world.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const SIMPLE = /^[a-z]+ [^;|(){}]*$/;

/** Everything that holds another command. */
const AROUND: ((inner: string) => string)[] = [
  (inner) => `echo $(${inner})`,
  (inner) => `echo "$(${inner})"`,
  (inner) => `( ${inner} )`,
  (inner) => `{ ${inner}; }`,
  (inner) => `if true; then ${inner}; fi`,
  (inner) => `while ${inner}; do ls; done`,
  (inner) => `for i in $(${inner}); do ls; done`,
  (inner) => `case $(${inner}) in a) ls;; esac`,
  (inner) => `case a in *) ${inner};; esac`,
  (inner) => `echo $(( $(${inner}) ))`,
  (inner) => `cat <(${inner})`,
  (inner) => `echo \${x:-$(${inner})}`,
  (inner) => `f() { ${inner}; }; f`,
  (inner) => `x=($(${inner}))`,
  (inner) => `a[$(${inner})]=1`,
  (inner) => `[[ -n $(${inner}) ]]`,
  (inner) => `cat <<X\n$(${inner})\nX\n`,
  (inner) => `! ${inner}`,
  (inner) => `time ${inner}`,
  (inner) => `env ${SIMPLE.test(inner) ? inner : `ls; ${inner}`}`,
  (inner) => `find . -exec ${SIMPLE.test(inner) ? inner : 'ls'} \\; ; ${inner}`,
  (inner) => `eval ${quoted(inner)}`,
  (inner) => (inner.length < 2000 ? `xargs timeout 5 nice bash -c ${quoted(inner)}` : `(${inner})`),
];

/** mawk's stack holds 1024 values, and where it is full the program ends: `layer1` throws on any word of awk's. */
test('no nesting brings layer 1 down, and what it still refuses layer 2 refuses', LONG, () => {
  const nested = fc.array(fc.constantFrom(...AROUND), { minLength: 1, maxLength: 40 }).map((around) => {
    let command = 'rm -rf src';
    for (const wrap of around) if (command.length < 20_000) command = wrap(command);
    return command;
  });
  const commands = fc.sample(nested, times(150));
  const findings = layer1(commands);
  const alone = commands.filter((command, at) => (findings[at] ?? []).length > 0 && !layer2(command));
  expect(alone).toEqual([]);
  expect(findings.filter(({ length }) => length > 0).length).toBeGreaterThan(commands.length / 10);
  tried('nested commands, both layers', commands.length);
});
