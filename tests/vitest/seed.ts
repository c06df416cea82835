/**
 * The seed of generated cases. Fixed, so that a failure belongs to a change; READYGATE_SOAK=1 takes one from the clock, and
 * READYGATE_SEED (or SHELL_SEED) repeats one. Imported by every test that generates cases.
 */
import fc from 'fast-check';

const { READYGATE_SEED, SHELL_SEED, READYGATE_SOAK } = process.env;
const usual = READYGATE_SOAK === '1' ? Date.now() % 2 ** 31 : 19;

export const seed = Number(READYGATE_SEED ?? SHELL_SEED ?? usual);

fc.configureGlobal({ seed });
console.log(`seed ${seed} (READYGATE_SEED repeats it)`);
