import { expect, test } from 'vitest';
import { layer2 } from './world.ts';

/** Writes into the work tree that only layer 2 sees: from a folder above it, and by words that an unset variable leaves over. */
const WRITES = [
  'rm -f "$UNSET"*.txt',
  'pushd "$REPO_ROOT" >/dev/null && touch q',
  'git -C "$REPO" commit -m x',
  'for d in ../*; do touch "$d/x"; done',
  'cd .. && rm -rf */src',
  'rm -rf ../a*',
  'rm -rf /home/*',
  "cd .. && find . -name '*.js' -exec sed -i s/const/let/ {} +",
  "cd .. && find . -name '*.js' | xargs sed -i s/const/let/",
  "find .. -name '*.js' -delete",
  'cp -r /tmp/stage/. ..',
  'cp -r /tmp/stage/* ..',
  'cp -a /tmp/stage/app ..',
];

test.each(WRITES)('%s', (command) => {
  expect(layer2(command)).toBe(true);
});
