/**
 * `npm run soak` runs the tests that try many points, each ten times as long, and collects what they tried. The tests
 * say so here, in either length.
 */
import { appendFileSync } from 'node:fs';

export const SOAK = process.env.READYGATE_SOAK === '1';

/** `npm test -- --long`, too. */
export const THOROUGH = SOAK || process.env.READYGATE_LONG === '1';

/** A number of rounds, points or cases: ten times as many in a soak. */
export const times = (normally: number): number => (SOAK ? normally * 10 : normally);

/** For a test that may then take ten times as long. Milliseconds. */
export const LONG = { timeout: SOAK ? 3_600_000 : 240_000 };

/** Says how many points a test tried and how many of them it survived. `npm run soak` gathers it from the file READYGATE_SOAK_REPORT. */
export function tried(what: string, points: number, survived = points): void {
  console.log(`${what}: ${points} tried, ${survived} survived`);
  const { READYGATE_SOAK_REPORT: report } = process.env;
  if (report) appendFileSync(report, `${JSON.stringify({ what, points, survived })}\n`);
}
