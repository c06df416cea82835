/** Where the plugin lies, seen from the running program in plugin/. */
import fs from 'node:fs';
import path from 'node:path';

export function pluginRoot(): string {
  const program = process.argv[1] ?? '';
  return path.dirname(path.dirname(fs.existsSync(program) ? fs.realpathSync(program) : path.resolve(program)));
}
