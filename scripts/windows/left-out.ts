import type { TestResult } from './results.ts';

/** Test files that are not run on Windows, by the beginning of their path, and why. The first entry that fits counts. */
export const LEFT_OUT: readonly (readonly [prefix: string, reason: string])[] = [
  ['test/engine/filesystem/native.test.ts', 'Calls of the C library. Their counterparts are tested in `windows/`.'],
  ['test/engine/filesystem/folder-reference.test.ts', 'Modes, names in bytes and links.'],
  ['test/engine/filesystem/durability.test.ts', 'Syncs a whole file system, which Windows has no call for.'],
  ['test/engine/filesystem/make-folder.test.ts', 'Modes.'],
  ['test/engine/scan/mount.test.ts', 'Mounts file systems.'],
  ['test/engine/restore/hostile-paths.test.ts', 'Creates its names with Python.'],
  ['test/engine/restore/fidelity.test.ts', 'Names and attributes that only Linux has.'],
  ['test/engine/restore/mount/', 'Restore points are mounted on Linux only.'],
  ['test/engine/restore/whole-disk.test.ts', 'Its root is /, which Windows does not have.'],
  ['test/agent/operations/timers/', 'Timers of systemd.'],
  ['test/cli/timer.test.ts', 'Timers of systemd.'],
  ['test/engine/power/linux-threads.test.ts', 'Linux only.'],
  ['test/agent/host/destination/destination-killed.test.ts', 'Ends processes by signals in the middle of a write.'],
  ['test/agent/home/settings.test.ts', 'Modes, and paths as Linux writes them.'],
  ['test/cli/start.test.ts', 'Lists the libraries of a process with tools of Linux.'],
];

/** Returns `undefined` for a file that runs. */
export function reasonToLeaveOut(file: string): string | undefined {
  return LEFT_OUT.find(([prefix]) => file.startsWith(prefix))?.[1];
}

/** What a failure says that is due to the place of the test. */
const NEEDS: readonly (readonly [error: RegExp, reason: string])[] = [
  [/spawn(?:Sync)? (?:\/usr\/bin\/)?[\w.-]+ ENOENT/, 'It uses a program of Linux.'],
  [/Windows has no /, 'Its tree has what Windows does not.'],
  [/ENOTSUP: operation not supported on socket, symlink/, 'Wine has no junctions.'],
];

const LINKS = 'Wine creates no symbolic links.';
const MODES = 'Modes, owners or rights that Windows does not have.';
const SLASHES = 'It compares parts of paths with slashes, or takes a backslash for a letter.';

/** Tests that run and fail for a known reason which is not the program's. */
const EXPECTED: readonly (readonly [file: string, test: RegExp, reason: string])[] = [
  ['test/engine/filesystem/folder.test.ts', /handles/, 'It counts the handles in /proc.'],
  ['test/engine/filesystem/folder.test.ts', /links|rename/, 'Wine creates no symbolic links.'],
  ['test/engine/filesystem/folder.test.ts', /any bytes/, 'Names in bytes.'],
  ['test/engine/backup/run-backup.test.ts', /symlink/, 'Wine creates no symbolic links.'],
  ['test/engine/restore/target.test.ts', /through links/, 'Wine creates no symbolic links.'],
  ['test/engine/scan/scanner.test.ts', /every file once|became a symlink/, LINKS],
  ['test/engine/scan/scanner.test.ts', /sockets, FIFOs|with nanoseconds/, 'It uses a program of Linux.'],
  ['test/engine/scan/scanner.test.ts', /unreadable/, MODES],
  ['test/engine/history/search/pattern.test.ts', /a\\\*b/, SLASHES],
  ['test/agent/sets/locate-path.test.ts', /link/, LINKS],
  ['test/agent/sets/new-set.test.ts', /link|two ways|way around|names an own folder/, LINKS],
  ['test/agent/sets/new-set.test.ts', /previous folder/, SLASHES],
  ['test/agent/key-store/home-key-store.test.ts', /loaded again/, MODES],
  [
    'test/agent/setup/join-repository.test.ts',
    /full disk|cannot be written/,
    'Its fault is one of the calls of Linux.',
  ],
  ['test/engine/restore/conflicts.test.ts', /links/, LINKS],
  ['test/engine/restore/conflicts/surplus.test.ts', /every entry/, LINKS],
  ['test/engine/restore/conflicts/surplus.test.ts', /second name/, 'Two names that differ in case.'],
  ['test/engine/restore/conflicts/surplus.test.ts', /socket/, 'Windows has no sockets in folders.'],
  ['test/engine/restore/drill/compare-file.test.ts', /link/, LINKS],
  ['test/engine/restore/drill/drill.test.ts', /forbids to remove/, MODES],
  ['test/engine/restore/model.test.ts', /model/, LINKS],
  [
    'test/engine/restore/names-there.test.ts',
    /too|take|spelling|Linux here/,
    'Its limits of names are those of Linux.',
  ],
  ['test/engine/restore/selection.test.ts', /default modes/, MODES],
  ['test/engine/restore/undo/record-seal.test.ts', /another key/, SLASHES],
  ['test/engine/restore/undo/undo-restore.test.ts', /moves what was created|\blink\b/, LINKS],
  ['test/engine/restore/undo/undo-restore.test.ts', /mode and time|system refused|owner/, MODES],
  [
    'test/engine/restore/write/moved-aside.test.ts',
    /hard links/,
    'It takes hard links away by replacing a call of Linux.',
  ],
  ['test/engine/restore/write/moved-aside.test.ts', /original places/, SLASHES],
  ['test/cli/usage.test.ts', /shows a set as it was added/, 'It expects paths with slashes.'],
];

/** Returns why a failed test says nothing about the program; `undefined` if it may. */
export function reasonToFail(file: string, { name, error = '' }: TestResult): string | undefined {
  const expected = EXPECTED.find(([path, test]) => file === path && test.test(name));
  return expected?.[2] ?? NEEDS.find(([message]) => message.test(error))?.[1];
}
