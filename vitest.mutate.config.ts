import { defineConfig } from 'vitest/config';

/** The tests that a mutant is held against (npm run mutate): those of the pure parts, without the long walks through all states. */
export default defineConfig({
  test: {
    include: ['tests/vitest/{flow,guards,shell,globs,pre-planning}/**/*.test.ts', 'tests/vitest/pipeline/content.test.ts'],
    exclude: [
      'tests/vitest/flow/{explore*,matrix,properties}.test.ts',
      'tests/vitest/guards/{layers,shell}-agree.test.ts',
      'tests/vitest/shell/{bash32,agreement,effects-table,robust}.test.ts',
    ],
    testTimeout: 60_000,
  },
});
