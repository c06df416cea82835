/** The headings of a Markdown file, outside of code blocks. Pure. */
import type { Definition } from './parsed.ts';

/** `# x` and underlined headings, each with the headings it stands under. */
export function headingsIn(lines: readonly string[]): Definition[] {
  const found: (Definition & { level: number })[] = [];
  let fence: string | null = null;
  for (const [index, line] of lines.entries()) {
    const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && (fence === null || (mark.startsWith(fence) && line.trim() === mark))) {
      fence = fence === null ? mark : null;
      continue;
    }
    if (fence !== null) continue;
    const hashes = /^ {0,3}(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$/.exec(line);
    const under = /^ {0,3}(=+|-+)[ \t]*$/.exec(lines[index + 1] ?? '')?.[1];
    const plain = under && under.length > 1 && /^ {0,3}[^\s>#|`*+-]/.test(line) ? line.trim() : undefined;
    const name = hashes?.[2] ?? plain;
    if (name === undefined) continue;
    const level = hashes ? (hashes[1] as string).length : under?.startsWith('=') ? 1 : 2;
    const above: string[] = [];
    for (let least = level, at = found.length - 1; at >= 0 && least > 1; at--) {
      const other = found[at] as (typeof found)[number];
      if (other.level >= least) continue;
      above.unshift(other.name);
      least = other.level;
    }
    found.push({
      name,
      kind: 'heading',
      line: index + 1,
      end: index + 1,
      container: above.join('.'),
      signature: `${'#'.repeat(level)} ${name}`,
      doc: '',
      level,
    });
  }
  for (const [index, heading] of found.entries()) {
    const next = found.slice(index + 1).find(({ level }) => level <= heading.level);
    heading.end = (next?.line ?? lines.length + 1) - 1;
  }
  return found.map(({ level: _level, ...definition }) => definition);
}
