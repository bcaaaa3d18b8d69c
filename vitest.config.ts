import { mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import type { TestProjectConfiguration } from 'vitest/config';
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

/** Files about file systems use a disk. So do those that install the program, which is too large to be kept in memory. */
const ON_DISK = {
  unit: ['os/filesystem/**/*', 'archive/scan/**/*', 'storage/folder-*'],
  system: [
    'os/filesystem/**/*',
    'archive/scan/**/*',
    'storage/folder-*',
    'e2e/main-job',
    'house/**/*',
    'scripts/package-cli/package',
  ],
  app: ['package/first-minute'],
} as const;

/** Files that leave something behind in their process: the app's windows, screens and clocks. */
const ALONE = 'test/app/*.test.ts';

const RESOURCES = { globalSetup: ['test/helpers/shared/global-setup.ts'] };

type Project = Extract<TestProjectConfiguration, { test?: unknown }>;

/** Returns the projects of one kind of tests: in memory, and on a disk. */
function projectsOf(kind: keyof typeof ON_DISK, options: Project['test']): readonly Project[] {
  const onDisk = ON_DISK[kind].map((files) => `test/${kind}/${files}.test.ts`);
  // Several files in one process, one after the other: starting one and loading the modules anew takes longer than most files.
  const shared = { ...options, isolate: false };
  return [
    { extends: true, test: { ...shared, name: `${kind}-on-disk`, include: onDisk } },
    {
      extends: true,
      test: {
        ...shared,
        name: kind,
        include: [`test/${kind}/**/*.test.ts`],
        exclude: [...configDefaults.exclude, ...onDisk, ALONE],
        env: { ...options?.env, TMPDIR: TEMPORARY },
      },
    },
  ];
}

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
      { extends: true, test: { name: 'app-alone', include: [ALONE] } },
      ...projectsOf('app', RESOURCES),
      ...projectsOf('system', RESOURCES),
      ...projectsOf('unit', { setupFiles: ['test/helpers/unit-guard.ts'], env: { TZ: 'UTC' } }),
    ],
  },
});
