import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/helpers/postgres/global-setup.ts'],
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
