/** Where the stations of the flow stand: a line that winds as often as the width makes it. Pure geometry. */

/** A station needs this much room for its name, and for a gap to the next one. */
const LEAST_CELL = 65;
const ROW = 96;
export const RADIUS = 14;

export interface Point {
  x: number;
  y: number;
  row: number;
}

export interface Layout {
  width: number;
  height: number;
  cell: number;
  rows: number;
  points: Point[];
  /** The line from each station to the next. */
  segments: string[];
}

function segment(a: Point, b: Point, cell: number): string {
  if (a.row === b.row) return `M${a.x} ${a.y}L${b.x} ${b.y}`;
  // The turn bulges to the side on which the row ended.
  const out = a.x + (a.row % 2 === 0 ? 1 : -1) * Math.min(cell * 0.66, 64);
  return `M${a.x} ${a.y}C${out} ${a.y} ${out} ${b.y} ${b.x} ${b.y}`;
}

/**
 * @param count of stations
 * @param width in pixels
 * @param arcs room above the first row for ways back
 */
export function layOut(count: number, width: number, arcs: number): Layout {
  const most = Math.max(3, Math.floor(width / LEAST_CELL));
  const rows = Math.max(1, Math.ceil(count / most));
  const perRow = Math.max(1, Math.ceil(count / rows));
  const cell = width / perRow;
  const top = RADIUS + 10 + (rows === 1 ? arcs : 0);
  const points = Array.from({ length: count }, (_, index) => {
    const row = Math.floor(index / perRow);
    const column = index % perRow;
    const x = ((row % 2 === 0 ? column : perRow - 1 - column) + 0.5) * cell;
    return { x, y: top + row * ROW, row };
  });
  const segments = points.slice(1).map((point, index) => segment(points[index] as Point, point, cell));
  return { width, height: top + (rows - 1) * ROW + RADIUS + 56, cell, rows, points, segments };
}

/** Whether the line turns behind a station: there it runs down beside the name, which has to be narrower. */
export function turnsAt({ points }: Layout, index: number): boolean {
  const next = points[index + 1];
  return next !== undefined && next.row !== points[index]?.row;
}

/** An arc above the line, from a station back to an earlier one; the longer, the higher. */
export function arc(from: Point, to: Point, room: number): { path: string; top: Point } {
  const height = Math.min(room - 12, 20 + Math.abs(from.x - to.x) * 0.09);
  const y = from.y - RADIUS - 4;
  const end = to.y - RADIUS - 6;
  const high = y - height * 1.33;
  const path = `M${from.x} ${y}C${from.x} ${high} ${to.x} ${high} ${to.x} ${end}`;
  return { path, top: { x: (from.x + to.x) / 2, y: y - height, row: from.row } };
}

/** A name in at most two lines. */
export function lines(name: string, letters: number): string[] {
  const words = name.split(' ');
  // Japanese letters are twice as wide.
  const wide = [...name].reduce((sum, letter) => sum + (letter > '\u2e80' ? 2 : 1), 0);
  if (wide <= letters || words.length === 1) return [name];
  const half = name.length / 2;
  let best = 1;
  const lengthOf = (count: number) => words.slice(0, count).join(' ').length;
  for (let count = 1; count < words.length; count++) if (Math.abs(lengthOf(count) - half) < Math.abs(lengthOf(best) - half)) best = count;
  return [words.slice(0, best).join(' '), words.slice(best).join(' ')];
}
