import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// Most of the work of a short test file is stripping and compiling the modules that it shares with the others.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/holdfast-tests');

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/helpers/shared/global-setup.ts'],
    // Node imports the sources itself, by type stripping, exactly as it does when people run Holdfast.
    experimental: { viteModuleRunner: false },
    // Each file in a process of its own: tests start children, worker threads and listeners, and change the umask.
    pool: 'forks',
    // One more than there are processors: a third of the time, tests wait for what they started.
    maxWorkers: availableParallelism() + 1,
    // Only what hangs should meet it, however busy the machine is.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // A focused test that was left behind would hide all others.
    allowOnly: false,
  },
});
