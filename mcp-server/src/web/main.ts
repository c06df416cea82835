/** What plugin/dashboard.cjs holds: loaded by `readygate dashboard` alone, so that nothing else pays for it. */
import type { PageFiles } from './app.ts';
import { StartCode } from './code.ts';
import { type Dashboard, type ServeOptions, serveDashboard } from './serve.ts';

/** Put in by scripts/build.mjs. */
declare const READYGATE_PAGE: PageFiles;

export interface Started extends Dashboard {
  /** What the terminal shows; null when nothing may be decided here. */
  code: string | null;
}

/** @param mayDecide whether a person reads the terminal that this was started in @throws the system's error when the port is taken */
export async function startDashboard(options: Pick<ServeOptions, 'root' | 'edge' | 'port'>, mayDecide: boolean): Promise<Started> {
  const code = mayDecide ? new StartCode() : null;
  const dashboard = await serveDashboard({ ...options, page: READYGATE_PAGE, code });
  return { ...dashboard, code: code?.shown ?? null };
}
