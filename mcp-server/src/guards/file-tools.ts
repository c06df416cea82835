import { fileField } from './catalog.ts';
import { type Effects, NO_EFFECTS, namesHooksPath, type Surveyed, unjudged } from './effect.ts';
import { absolutePath } from './path.ts';
import { placeOf, type Surroundings } from './place.ts';

/** Longer names cannot be made; judging them would take seconds. */
const MAX_PATH_BYTES = 8192;

/**
 * What Edit, Write, MultiEdit and NotebookEdit would change (RG00–RG03, RG06). The same rules in bash: hooks/lib/file-tool.sh.
 * @param call the tool call
 * @param around the places that matter
 */
export function fileEffects({ tool, input, cwd }: Surveyed, around: Surroundings): Effects {
  const field = fileField(tool);
  if (field === undefined) return NO_EFFECTS;
  const target = input[field];
  if (typeof target !== 'string' || target === '') return unjudged('the call names no file; it is not gated');
  if (target.includes('\0')) return unjudged('the file name holds a NUL; it is not gated, and no such file can be made');
  if (Buffer.byteLength(target) > MAX_PATH_BYTES) {
    return unjudged(`the file name is longer than ${MAX_PATH_BYTES} bytes; it is not gated, and no such file can be made`);
  }
  const place = placeOf(absolutePath(target, cwd, around.home), around);
  if (place === null) return NO_EFFECTS;
  const kind = place !== 'git-config' ? place : namesHooksPath(JSON.stringify(input)) ? 'hooks-off' : 'tree';
  return { effects: [{ kind, by: tool, target }] };
}
