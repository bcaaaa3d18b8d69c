import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './test/helpers/longest-first.ts';

// Most of the work of a short test file is stripping and compiling the modules that it shares with the others.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/holdfast-tests');

/** Files that leave nothing behind in their process: several run in one, one after the other. */
const SHARED = ['base', 'engine', 'format', 'protocol', 'repository', 'rules', 'strings'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

export default defineConfig({
  test: {
    // Node imports the sources itself by type stripping, as it does for users.
    experimental: { viteModuleRunner: false },
    pool: 'forks',
    // Two more than there are processors: tests wait for the programs that they start.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    // Long enough for a busy machine; only a test that hangs reaches it.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // The default of a second is too short for other processes on a busy machine.
    expect: { poll: { timeout: 60_000 } },
    // A forgotten focused test would hide all others.
    allowOnly: false,
    projects: [
      // Starting a process and loading the modules anew takes longer than most of these files.
      { extends: true, test: { name: 'shared', include: SHARED, isolate: false } },
      // Each file in a process of its own: tests start programs and listeners, and change the environment and the umask.
      {
        extends: true,
        test: {
          name: 'isolated',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...SHARED],
          globalSetup: ['test/helpers/shared/global-setup.ts'],
        },
      },
    ],
  },
});
