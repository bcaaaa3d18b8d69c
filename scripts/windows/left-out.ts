import type { FileResult, TestResult } from './results.ts';

/** Test files that are not run on Windows, by the beginning of their path, and why. The first entry that fits counts. */
export const LEFT_OUT: readonly (readonly [prefix: string, reason: string])[] = [
  ['test/system/os/filesystem/native.test.ts', 'Calls of the C library. Their counterparts are tested in `windows/`.'],
  ['test/unit/os/filesystem/folder-reference.test.ts', 'Modes, names in bytes and links.'],
  ['test/system/os/filesystem/durability.test.ts', 'Syncs a whole file system, which Windows has no call for.'],
  ['test/unit/os/filesystem/make-folder.test.ts', 'Modes.'],
  ['test/system/archive/backup/target/absent-disks.test.ts', 'Mounts file systems.'],
  ['test/system/restore/hostile-paths.test.ts', 'Creates its names with Python.'],
  ['test/system/restore/fidelity.test.ts', 'Names and attributes that only Linux has.'],
  ['test/system/mount/', 'Restore points are mounted on Linux only.'],
  [
    'test/system/restore/model.test.ts',
    'Nothing is proved: its random trees have symbolic links, and Wine creates none.',
  ],
  ['test/unit/os/filesystem/macos/', 'macOS only. The paths of its doubles have slashes.'],
  ['test/system/restore/whole-disk.test.ts', 'Its root is /, which Windows does not have.'],
  ['test/system/agent/operations/timers/', 'Timers of systemd.'],
  ['test/system/cli/timer.test.ts', 'Timers of systemd.'],
  ['test/system/os/power/linux-threads.test.ts', 'Linux only.'],
  ['test/system/agent/host/sets/command-line.test.ts', 'Has command lines read by the shell of Linux.'],
  [
    'test/system/agent/hooks/run-command.test.ts',
    'Its commands are those of a POSIX shell. Those of Windows are in `windows-command.test.ts`.',
  ],
  ['test/system/e2e/modes.test.ts', 'Modes.'],
  ['test/system/e2e/mount.test.ts', 'Restore points are mounted on Linux only.'],
  ['test/unit/agent/home/settings.test.ts', 'Modes, and paths as Linux writes them.'],
  ['test/system/cli/start.test.ts', 'Lists the libraries of a process with tools of Linux.'],
];

/** Returns `undefined` for a file that runs. */
export function reasonToLeaveOut(file: string): string | undefined {
  return LEFT_OUT.find(([prefix]) => file.startsWith(prefix))?.[1];
}

/** What a failure says that is due to the place of the test. */
const NEEDS: readonly (readonly [error: RegExp, reason: string])[] = [
  [/spawn(?:Sync)? (?:\/(?:usr\/)?bin\/)?[\w.-]+ ENOENT/, 'It uses a program of Linux.'],
  [/Windows has no /, 'Its tree has what Windows does not.'],
  [/ENOTSUP: operation not supported on socket, symlink/, 'Wine has no junctions.'],
];

const LINKS = 'Wine creates no symbolic links.';
const MODES = 'Modes, owners or rights that Windows does not have.';
const SLASHES = 'It compares parts of paths with slashes, or takes a backslash for a letter.';
const NAMES = 'Its limits of names are those of Linux.';
const PROGRAM = 'It uses a program of Linux.';
const HOMES = 'Its home and its folders are those of Linux.';
const SIGNALS = 'Windows ends a process at once and without a signal.';
const SHELL = 'Its commands are those of a POSIX shell.';
const PROC = 'Its place that cannot be written is /proc.';
const FOLDERS = 'It has folders synced, which Windows does not do.';

/** Tests that run and fail for a known reason which is not the program's: by their whole names, so that no other failure is excused. */
export const EXPECTED: Readonly<Record<string, readonly (readonly [test: string, reason: string])[]>> = {
  'test/unit/os/filesystem/folder.test.ts': [
    ['FolderWalk > opens folders in any order, and closes all handles', 'It counts the handles in /proc.'],
    ['FolderWalk > goes deeper than the longest path with few handles, and returns', 'It counts the handles in /proc.'],
    ['FolderWalk > does not follow links, even later ones', LINKS],
    ['FolderWalk > accepts names of any bytes', 'Names in bytes.'],
    ['a rename > fails when the new name exists', LINKS],
  ],
  'test/system/archive/backup/run-backup.test.ts': [
    ['a file that changes between scan and upload > is not followed when it is replaced by a symlink', LINKS],
  ],
  'test/system/archive/backup/target/several-targets.test.ts': [
    [
      'a file that can no longer be read > stays at the destination that has it, and reaches the other when it can be read again',
      'Its unreadable file is /dev/null/unreadable, which Windows takes for one that is gone.',
    ],
  ],
  'test/system/archive/chunk/chunk-files.test.ts': [
    ['reading files > returns chunks whose digests match sha256sum and whose sizes sum to the file size', PROGRAM],
    ['reading files > opens neither symlinks nor FIFOs, even in the place of a file', LINKS],
  ],
  'test/system/archive/scan/scanner.test.ts': [
    ['a scan > finds every file once, in name order, and nothing without changes', LINKS],
    ['a scan > warns about sockets, FIFOs and devices and never opens them', PROGRAM],
    ['a scan > keeps the last version of unreadable entries', MODES],
    ['a scan > returns the stat of every file with nanoseconds', PROGRAM],
    ['a root > is refused when it was a folder and became a symlink or a file', LINKS],
  ],
  'test/unit/archive/scan/source-check.test.ts': [
    [
      'a source at the end of a run > is the same with another number, which some file systems give it once it was not in use for a while',
      'Wine gives the last change of a folder as the time of its birth.',
    ],
  ],
  'test/unit/history/search/pattern.test.ts': [[String.raw`a pattern > a\*b of /x/a*b: true`, SLASHES]],
  'test/unit/agent/sets/locate-path.test.ts': [
    ['the set of a path > is found through a link to one of its folders', LINKS],
  ],
  'test/unit/agent/sets/new-set.test.ts': [
    ['a new set > has the target of a link, since a backup of the link would lack the files', LINKS],
    ['a new set > keeps a previous folder that is missing now', SLASHES],
    ['a new set > one folder by two ways is refused', LINKS],
    ['a new set > a way around to an own folder is refused', LINKS],
    ['a new set > names an own folder by the path on which a scan meets it', LINKS],
  ],
  'test/unit/agent/key-store/home-key-store.test.ts': [
    ['secrets in a file > of a device are loaded again, in another process too', MODES],
    ['secrets in a file > of a person are loaded again, in another process too', MODES],
    ['secrets in a file > of a folder are loaded again, in another process too', MODES],
    ['secrets sealed by the keychain > are loaded again and not readable in the file', MODES],
  ],
  'test/unit/agent/operations/setup.test.ts': [
    ['a set-up whose home cannot be saved > is not set up when only its folder cannot be synced', FOLDERS],
  ],
  'test/system/agent/hooks/with-hooks.test.ts': [
    [
      'the command before a backup > that takes too long is reported with the time that it has, not with the one until its end',
      SHELL,
    ],
    ['the command before a backup > keeps the backup from being made if it fails, and the one after learns it', SHELL],
    ['the command after a backup > finds the outcome in its environment', SHELL],
    ['the command after a backup > runs with the outcome failed', SHELL],
    ['the command after a backup > runs with the outcome stopped', SHELL],
    ['a damaged file of results is one without results', SHELL],
  ],
  'test/system/agent/host/restores/restore.test.ts': [
    [
      'the restore handlers > keep only the newest folders open, and leave no files behind',
      'Windows removes no file that is open: the next index removes it.',
    ],
    ['the restore handlers > refuse a target inside a source, or one that cannot be written, before writing', PROC],
  ],
  'test/system/agent/host/setup/setup.test.ts': [
    ['a folder > that is not writable is refused', MODES],
    ['a folder > on a read-only system is refused', PROC],
  ],
  'test/system/e2e/system-functions.test.ts': [
    [
      'an installation that cannot call the system says in each run what it leaves out',
      'Files have attributes there, whose loss is named, too.',
    ],
  ],
  'test/system/e2e/watch.test.ts': [
    ['runs at the start and after each change, and ends with success on Ctrl-C', SIGNALS],
  ],
  'test/system/e2e/key-epochs.test.ts': [
    [
      'a computer whose first backup is under way during a rotation > is told that its backup does not count, and backs up with the new phrase',
      SIGNALS,
    ],
  ],
  'test/system/e2e/hooks.test.ts': [
    ['commands and pings are set, run with a backup, and shown with how they ended', SHELL],
    [
      'a backup whose pings get no answer says what it waits for, and ends as it would at the first interruption',
      SIGNALS,
    ],
    ['a command that backs up its own set runs once, directly and by another set', SHELL],
  ],
  'test/system/e2e/export.test.ts': [
    ['holdfast export > writes a tar that GNU tar extracts to the same files', 'Its tree has what Windows does not.'],
    [
      'holdfast export > a zip has files of times that it cannot state, and names those times',
      'Node shows times before 1970 wrong on Windows.',
    ],
  ],
  'test/system/e2e/answers.test.ts': [
    ['JSON output > ls', LINKS],
    ['exit codes > Ctrl-C exits with 130, and the next run continues', SIGNALS],
  ],
  'test/system/agent/host/sets/sets.test.ts': [
    ['the folder listing > lists folders first, with numbers by value', LINKS],
    ['the folder listing > begins with the home folder and the file system root', HOMES],
    ['folder suggestions > are the person’s own folders in any language', HOMES],
  ],
  'test/system/agent/setup/join-repository.test.ts': [
    ['a folder > on a full disk is reported as such', SLASHES],
    ['a folder > that cannot be written is reported as such', MODES],
  ],
  'test/system/restore/target.test.ts': [
    ['restore target > is refused inside a source, also through links ()', LINKS],
    ['restore target > is refused inside a source, also through links (/restored)', LINKS],
    ['restore target > is refused inside a source, also through links (/not/there yet)', LINKS],
  ],
  'test/system/restore/conflicts.test.ts': [
    ['restore over existing files > counts links among what exists, but not among the files', LINKS],
    [
      'restore over existing files > replaces files, links and files in the place of folders when the choice is overwrite',
      LINKS,
    ],
    ['restore over existing files > follows no links in the target', LINKS],
  ],
  'test/system/restore/conflicts/surplus.test.ts': [
    ['surplus > is every entry of a folder that is not planned, and a folder with all that is in it', LINKS],
    ['surplus > is a second name of a planned file', 'Two names that differ in case.'],
    [
      'surplus > is not what the request leaves out, a side folder, an incomplete file or a socket',
      'Windows has no sockets in folders.',
    ],
    ['surplus > is not what is in a folder whose ignore file cannot be read', LINKS],
  ],
  'test/unit/restore/drill/compare-file.test.ts': [
    ['a restored file > that is missing, or a link in its place, is not the same', LINKS],
  ],
  'test/system/restore/drill/drill.test.ts': [
    [
      'a drill > leaves nothing behind, also of one that was killed, and although a folder forbids to remove from it',
      MODES,
    ],
  ],
  'test/system/restore/names-there.test.ts': [
    [
      'names that the target does not take > are in the plan, with everything in such a folder, and fail without preventing the others',
      NAMES,
    ],
    ['names that the target does not take > are no problem where each spelling is another file', NAMES],
    ['the rules of a file system > are those of Linux here: 255 bytes, and each spelling is a name', NAMES],
  ],
  'test/system/restore/selection.test.ts': [
    [
      'restore of a backup without a tree > uses default modes and the times of the manifest, and names every file',
      MODES,
    ],
  ],
  'test/unit/restore/record/record-seal.test.ts': [
    ['a record of a restore > is refused, and not offered, if it was written with another key', SLASHES],
  ],
  'test/unit/restore/undo/undo-restore.test.ts': [
    ['undoing a restore > moves what was created, and removes the folders that are empty then', LINKS],
    ['undoing a restore > gives a file its mode and time back, unless a person has chosen another mode since', MODES],
    ['undoing a restore > tries again what the system refused', MODES],
    ['what cannot be put back > includes the owner to run as', MODES],
    ['what cannot be put back > includes another owner', MODES],
    ['a copied link that was never replaced leaves no copy', LINKS],
    ['a link that a person has made since stays and is named, even with the same time', LINKS],
  ],
  'test/unit/restore/write/moved-aside.test.ts': [
    [
      'what a restore replaces on a file system without hard links > keeps its copy if it is a link that was made anew meanwhile',
      LINKS,
    ],
    ['original places > are below the deepest common folder', SLASHES],
    ['original places > C:/Users/anna is refused with EINVAL', 'Windows has such a path.'],
  ],
  'test/system/cli/service-take-over.test.ts': [['service take-over makes a copy the service', SIGNALS]],
  'test/system/cli/service-transfer.test.ts': [
    [
      'service export and import > move a service from SQLite to PostgreSQL and back, and report what is impossible',
      'PostgreSQL runs on Linux here.',
    ],
  ],
  'test/system/cli/service.test.ts': [
    [
      'the service at the command line > prints its address in one line, responds there and ends cleanly on SIGTERM',
      SIGNALS,
    ],
    ['the service at the command line > reads its options from a file and prints its address as JSON', SIGNALS],
    ['the service at the command line > waits for a running request, unless it is stopped twice', SIGNALS],
  ],
  'test/system/cli/setup-choice.test.ts': [
    [
      'the options of setup > {"destination":"sftp://anna@nas/b","identity":"/keys/a","password":"p","hostKey":"SHA256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}',
      SLASHES,
    ],
  ],
};

/** Returns why a failed test says nothing about the program; `undefined` if it may. */
export function reasonToFail(file: string, { name, error = '' }: TestResult): string | undefined {
  const expected = EXPECTED[file]?.find(([test]) => test === name);
  // A process that hung or died has not judged the rest of its file.
  if (expected || / \((?:hung|died)\)$/.test(name)) return expected?.[1];
  return NEEDS.find(([message]) => message.test(error))?.[1];
}

/** Returns the tests of these files that are expected to fail and have passed, or do not exist: their reasons are out of date. */
export function outdatedReasons(results: readonly FileResult[]): readonly string[] {
  return results.flatMap(({ file, tests, problem }) => {
    const failed = new Set(tests.filter(({ state }) => state !== 'passed').map(({ name }) => name));
    const expected = problem === undefined ? (EXPECTED[file] ?? []) : [];
    return expected.filter(([test]) => !failed.has(test)).map(([test]) => `${file}: ${test}`);
  });
}
