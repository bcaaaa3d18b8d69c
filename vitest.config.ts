import { mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { handOver, isLockedNode } from './scripts/locked-node.mjs';
import { bringTextsUpToDate } from './scripts/texts/up-to-date.ts';
import { FAST_FOLDER } from './test/helpers/fast-folder.ts';
import { LongestFirst } from './test/helpers/longest-first.ts';

// `npx vitest` takes whichever Node is first on the PATH.
if (!isLockedNode()) await handOver(process.argv.slice(1));
await bringTextsUpToDate();

/** Temporary folders of the run. In memory, creating and syncing their files takes a fifth less processor time. */
const TEMPORARY = join(FAST_FOLDER, `holdfast-${process.pid}`);
mkdirSync(TEMPORARY, { recursive: true });
process.once('exit', () => {
  try {
    rmSync(TEMPORARY, { recursive: true, force: true });
  } catch {
    // The object store of the run ends after it, and removes its folder at the same time.
  }
});

// Most of the work of a short test file is stripping and compiling the modules that it shares with the others. A checkout
// of a CI has run no tests before.
process.env['NODE_COMPILE_CACHE'] ??=
  process.env['CI'] === undefined
    ? join(import.meta.dirname, 'node_modules/.cache/holdfast-tests')
    : join(TEMPORARY, 'compiled');

const EVERY = 'test/**/*.test.ts';

/** Files that leave something behind in their process. */
const ISOLATED = [
  // The app's windows, screens and clocks.
  'test/app/**/*.test.ts',
  // The time zone of the process.
  'test/agent/input/point-in-time.test.ts',
  'test/agent/schedule/*.test.ts',
];

/** Files about file systems use a disk. So do those that install the program, which is too large to be kept in memory. */
const ON_DISK = [
  'test/os/filesystem/**/*.test.ts',
  'test/archive/scan/**/*.test.ts',
  'test/storage/folder-*.test.ts',
  'test/e2e/main-job.test.ts',
  'test/house/**/*.test.ts',
  'test/package/first-minute.test.ts',
  'test/scripts/package-cli/package.test.ts',
];

export default defineConfig({
  test: {
    // Node imports the sources itself by type stripping, as it does for users.
    experimental: { viteModuleRunner: false },
    pool: 'forks',
    // Files share processes, which hold the modules of all of them. With the default sizes a seventh of the processor time goes into
    // collecting garbage of a heap that stays.
    execArgv: ['--min-semi-space-size=16', '--max-semi-space-size=64', '--initial-old-space-size=1000'],
    // Two more than there are processors: tests wait for the programs that they start.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    // Long enough for a busy machine; only a test that hangs reaches it.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Processes that are shared by files write the compiled code of many modules when they end.
    teardownTimeout: 60_000,
    // The default of a second is too short for other processes on a busy machine.
    expect: { poll: { timeout: 60_000 } },
    // A forgotten focused test would hide all others.
    allowOnly: false,
    projects: [
      { extends: true, test: { name: 'isolated', include: ISOLATED } },
      // Several files in one process, one after the other: starting one and loading the modules anew takes longer than most files.
      { extends: true, test: { name: 'on-disk', include: ON_DISK, isolate: false } },
      {
        extends: true,
        test: {
          name: 'shared',
          include: [EVERY],
          exclude: [...configDefaults.exclude, ...ISOLATED, ...ON_DISK],
          isolate: false,
          env: { TMPDIR: TEMPORARY },
          globalSetup: ['test/helpers/shared/global-setup.ts'],
        },
      },
    ],
  },
});
