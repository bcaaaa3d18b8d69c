import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/helpers/longest-first.ts';

// Most of the work of a short test file is stripping and compiling the modules that it shares with the others.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/holdfast-tests');

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/helpers/shared/global-setup.ts'],
    // Node imports the sources itself by type stripping, as it does for users.
    experimental: { viteModuleRunner: false },
    // Each file in a process of its own: tests start children, worker threads and listeners, and change the umask.
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
  },
});
