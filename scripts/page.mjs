// The dashboard's page as texts, for scripts/build.mjs and for the tests: nothing is fetched when it runs.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = fileURLToPath(new URL('../mcp-server/src/web/page', import.meta.url));

/** Returns {html, js, css, icon}. */
export async function buildPage() {
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: ['main.tsx', 'style.css'],
    outdir: path.join(folder, 'out'),
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: ['es2022'],
    minify: true,
    charset: 'utf8',
    legalComments: 'eof',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'warning',
  });
  const text = (ending) => outputFiles.find((file) => file.path.endsWith(ending)).text;
  const read = (name) => fs.readFileSync(path.join(folder, name), 'utf8');
  return { html: read('index.html'), js: text('main.js'), css: text('style.css'), icon: read('icon.svg') };
}
