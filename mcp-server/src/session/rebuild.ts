/** --rebuild: no session starts, the code index is built anew, a report comes back (FLOW.md, Flags). */
import { askIntel } from '../intel/client.ts';
import { fill, template } from '../messages/messages.ts';
import { indexFolder } from '../state/layout.ts';
import { report } from './clean.ts';
import type { Edge } from './edge.ts';
import type { Response } from './response.ts';

/** Builds the index of a work tree anew and waits for it. Never throws: what went wrong is in the report. */
export async function rebuildIndex(edge: Edge, root: string, tell?: (done: number, total: number) => void): Promise<Response> {
  const { language } = edge;
  const folder = indexFolder(root);
  try {
    const { data, problem } = await askIntel({ root, language, tool: 'index', args: { wait: true, rebuild: true } }, tell);
    if (problem !== undefined) throw new Error(problem);
    const { files = 0, indexed = 0, symbols = 0 } = data as { files?: number; indexed?: number; symbols?: number };
    return report(fill(template('report.rebuild', language), { folder, files, indexed, symbols }), {
      rebuilt: true,
      index: { files, indexed, symbols },
    });
  } catch (error) {
    const text = fill(template('report.rebuild.failed', language), { folder, detail: (error as Error).message });
    return report(text, { rebuilt: false });
  }
}
