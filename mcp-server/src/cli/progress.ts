/** A progress bar on stderr for work that takes a while. Where nobody watches (no terminal, --json), it draws nothing. */

import { cutTo } from './wrap.ts';

/** What a bar needs of the stream it is drawn on. */
export interface BarStream {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  write: (text: string) => unknown;
}

export interface Progress {
  /** Sets how much is done, and optionally how much there is and what is being worked on. */
  update: (done: number, total?: number, note?: string) => void;
  /** Takes the bar away. Further updates draw nothing. */
  end: () => void;
}

/** A redraw more often than this cannot be seen. */
const REDRAW_MS = 80;
const BAR_CELLS = 24;
const DEFAULT_COLUMNS = 80;

/** One line: label, bar, share, count, note; never wider than the terminal. */
export function barLine(label: string, done: number, total: number, note: string, columns: number): string {
  const share = total > 0 ? Math.min(1, Math.max(0, done / total)) : 0;
  const full = Math.round(share * BAR_CELLS);
  const bar = `${'█'.repeat(full)}${'░'.repeat(BAR_CELLS - full)}`;
  return cutTo(`${label} ${bar} ${String(Math.floor(share * 100)).padStart(3)}% ${done}/${total}${note ? ` ${note}` : ''}`, columns - 1);
}

/**
 * Starts a bar.
 * @param stream where it is drawn, usually stderr
 * @param label what is being done
 * @param total how much there is to do
 * @param now the clock in milliseconds
 */
export function startProgress(stream: BarStream, label: string, total: number, now: () => number = Date.now): Progress {
  if (stream.isTTY !== true) return { update: () => {}, end: () => {} };
  let all = total;
  let drawnAt = Number.NEGATIVE_INFINITY;
  let ended = false;
  return {
    update: (done, newTotal = all, note = '') => {
      all = newTotal;
      if (ended || (done < all && now() - drawnAt < REDRAW_MS)) return;
      drawnAt = now();
      stream.write(`\r\x1b[2K${barLine(label, done, all, note, stream.columns ?? DEFAULT_COLUMNS)}`);
    },
    end: () => {
      if (!ended && drawnAt > Number.NEGATIVE_INFINITY) stream.write('\r\x1b[2K');
      ended = true;
    },
  };
}
