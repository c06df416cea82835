import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Long, and about what shorter tests look at, too: `npm test -- --long` and `npm run soak` run them. */
const LONG = [
  'tests/vitest/cli/attest.test.ts',
  'tests/vitest/crash/cut-off.test.ts',
  'tests/vitest/git/interrupted.test.ts',
  'tests/vitest/git/merge.test.ts',
  'tests/vitest/git/stale.test.ts',
  'tests/vitest/intel/bad-input.test.ts',
  'tests/vitest/intel/keeping.test.ts',
  'tests/vitest/pipeline/guard.test.ts',
  'tests/vitest/pipeline/resume.test.ts',
  'tests/vitest/server/goodbye.test.ts',
  'tests/vitest/session/bad-payloads.test.ts',
  'tests/vitest/session/claims-in-a-session.test.ts',
  'tests/vitest/session/escalation.test.ts',
  'tests/vitest/session/hard-places.test.ts',
  'tests/vitest/session/merge.test.ts',
  'tests/vitest/session/resume.test.ts',
  'tests/vitest/session/stale-branches.test.ts',
  'tests/vitest/session/work-trees.test.ts',
];

/** Begun first: one of them at the end would leave the other worker with nothing to do. */
const FIRST = [
  'crash/whole-session',
  'crash/cut-off',
  'web/browser',
  'state/writers',
  'cli/cli',
  'session/review',
  'session/whole-session',
];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = FIRST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return at < 0 ? FIRST.length : at;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

const { READYGATE_LONG, READYGATE_SOAK } = process.env;

export default defineConfig({
  test: {
    include: ['tests/vitest/**/*.test.ts'],
    exclude: READYGATE_LONG === '1' || READYGATE_SOAK === '1' ? [] : LONG,
    globalSetup: ['tests/vitest/server/bundle.ts'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: LongFirst },
  },
});
