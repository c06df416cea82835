// Measuring: interleaved samples, medians and percentiles. No number here is a test; the machine is noisy, so ratios count.
import { spawnSync } from 'node:child_process';

const sorted = (values) => [...values].sort((a, b) => a - b);
export const median = (values) => sorted(values)[Math.floor(values.length / 2)];
export const percentile = (values, p) => sorted(values)[Math.min(values.length - 1, Math.floor((values.length * p) / 100))];

/** Takes `rounds` samples of each of the named functions in turn, so that a busy moment hits all alike. */
export async function interleave(samplers, rounds) {
  const times = Object.fromEntries(Object.keys(samplers).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, sample] of Object.entries(samplers)) times[name].push(await sample(round));
  }
  return times;
}

/** Wall time of a program in milliseconds. */
export function wallOf(program, args, options = {}) {
  const begun = performance.now();
  spawnSync(program, args, { stdio: 'ignore', ...options });
  return performance.now() - begun;
}
