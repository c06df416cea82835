import { expect, test } from 'vitest';
import { analyzeShell } from '../../../mcp-server/src/guards/shell/analyze.ts';
import { CONTEXT } from './world.ts';

const FOLDERS = ['/', '/home', '/home/dev', '/tmp', '/tmp/there', '/usr', '/var'];
const onDisk = { ...CONTEXT, isDirectory: (path: string) => CONTEXT.pathInside(path) || FOLDERS.includes(path) };

/** What may not have run: the work tree is still written to. */
const WRITES = [
  'cd /tmp/nope && npm test; echo x > notes.md',
  'cd /tmp/build && make; sed -i s/const/let/ src/app.js',
  'cd /tmp/nope && true; rm -rf .readygate',
  'pushd /tmp/nope && ls; touch q',
  'mkdir /tmp/there && cd /tmp/there; touch q',
  'mkdir /tmp/a; mkdir /tmp/a && cd /tmp/a; touch q',
  '! true && cd /tmp; touch q',
  '{ ls nope && cd /tmp; }; touch q',
  'if ls; then cd /tmp/nope && ls; fi; touch q',
  'command cd /tmp/nope && ls; touch q',
  'echo x > /nope/y && cd /tmp; touch q',
  'exit(){ :; }; cd /tmp/nope || exit; touch q',
  'go(){ [ -d x ] && cd /tmp; }; go; touch q',
  'cd /tmp || touch q',
  'cd /tmp/nope || touch q',
  'f=src/app.js; for i in $(ls nope); do f=/tmp/y; done; sed -i s/const/let/ "$f"',
  'readonly f=src/app.js; f=/tmp/y; sed -i s/const/let/ "$f"',
  'f=src/app.js; readonly f; f=/tmp/y; sed -i s/const/let/ "$f"',
  '[ -n "" ] && touch(){ :; }; touch q',
  'test -n "" && alias touch=true; touch q',
  'if false; then touch(){ :; }; fi; touch q',
];

/** What does not fail in practice, or ends the shell when it does. */
const READS = [
  'mkdir /tmp/x && cd /tmp/x && npm init -y; touch y',
  'cd /tmp/x && npm init -y && npm i; ls',
  'mkdir -p /tmp/x && cd /tmp/x && npm init -y && npm i; touch y',
  'd=$(mktemp -d) && cd "$d" && npm init -y; touch y',
  'git init -q /tmp/r && cd /tmp/r && echo x > y; touch z',
  'cd /tmp/nope || exit 1; touch q',
  'cd /tmp/nope || { echo failed >&2; exit 1; }; touch q',
  'if [ -d /tmp/nope ] && cd /tmp/nope; then touch q; fi',
  'if ! cd /tmp/nope; then exit 1; fi; touch q',
];

test.each(WRITES)('%s', (command) => {
  expect(analyzeShell(command, onDisk).writes).not.toEqual([]);
});

test.each(READS)('%s', (command) => {
  expect(analyzeShell(command, onDisk).writes).toEqual([]);
});
