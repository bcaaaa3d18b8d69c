import type { HistoryVersion } from '../../../src/ipc/contract/restore/history.ts';
import type { BrowsedEntry, RunReport } from '../../../src/ipc/contract/restore/restore.ts';
import type { RestorePoint } from '../../../src/model/restore-point.ts';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import type { AppState } from '../../../src/ipc/state.ts';
import { BACKUP_DISK, NOW, PROTECTED } from './states.ts';
import type { Answers } from './window-page.ts';

const HOUR = 3_600_000;

/** The time of a restore point whose clock was right. */
function pointAt(time: number): Pick<RestorePoint, 'restorePoint' | 'madeAt'> {
  const at = new Date(time).toISOString();
  return { restorePoint: at, madeAt: at };
}

/** The restore points that have something, from clocks that were right. */
export function spanOf(from: string, to: string): Pick<HistoryVersion, 'from' | 'to' | 'madeFrom' | 'madeTo'> {
  return { from, to, madeFrom: from, madeTo: to };
}

/** Every four hours of the last 40 days, newest first; one is pinned. */
export const POINTS: readonly RestorePoint[] = Array.from({ length: 240 }, (_, index) => ({
  ...pointAt(NOW - 12 * 60_000 - index * 4 * HOUR),
  backupId: `bk_${index}`,
  files: 18_204 - index,
  bytes: 12_400_000_000 - index * 1_000_000,
  ...(index === 3 ? { isPinned: true } : {}),
}));

export const ROOT = '/home/anna/Documents';

/** A folder that makes its rows on demand. */
export interface TestFolder {
  readonly total: number;
  readonly row: (index: number) => BrowsedEntry;
}

function entry(path: string, type: BrowsedEntry['type'], size: number): BrowsedEntry {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const modified = new Date(NOW - (name.length * 97 + (size % 7_000)) * HOUR).toISOString();
  // Each level is ten times smaller.
  const within = { files: name.length, bytes: 10 ** (13 - path.split('/').length) };
  return { path, name, type, size, modified, ...(type === 'directory' ? { within } : {}) };
}

function folderOf(path: string, folders: readonly string[], files: readonly (readonly [string, number])[]): TestFolder {
  const rows = [
    ...folders.map((name) => entry(`${path}/${name}`, 'directory', 0)),
    ...files.map(([name, size]) => entry(`${path}/${name}`, 'file', size)),
  ];
  return { total: rows.length, row: (index) => rows[index]! };
}

/** `entry-0000000` …, a folder for every thousandth of the first 5,000. */
export function longFolder(path: string, total: number): TestFolder {
  return {
    total,
    row: (index) => {
      const name = `entry-${String(index).padStart(7, '0')}`;
      return index < 5
        ? entry(`${path}/${name}`, 'directory', 0)
        : { ...entry(`${path}/${name}`, 'file', index), modified: new Date(NOW - HOUR).toISOString() };
    },
  };
}

export const FOLDERS: Readonly<Record<string, TestFolder>> = {
  '': { total: 1, row: () => ({ ...entry(ROOT, 'directory', 0), name: 'Documents' }) },
  [ROOT]: folderOf(
    ROOT,
    ['Archive', 'Invoices', 'Thesis'],
    [
      ['budget 2026.ods', 48_112],
      ['letter to the landlord.odt', 31_004],
      ['microscope overview of the northern field station, all series.tiff', 418_000_000],
      ['notes.md', 9_120],
      ['tax return.pdf', 1_204_511],
    ],
  ),
  [`${ROOT}/Archive`]: longFolder(`${ROOT}/Archive`, 1_000_000),
  [`${ROOT}/Invoices`]: folderOf(`${ROOT}/Invoices`, [], []),
  [`${ROOT}/Thesis`]: folderOf(`${ROOT}/Thesis`, ['figures'], [['thesis.tex', 240_000]]),
  [`${ROOT}/Thesis/figures`]: folderOf(`${ROOT}/Thesis/figures`, [], [['cells.svg', 12_000]]),
};

/** Returns an entry of the folders above. */
export function entryAt(path: string): BrowsedEntry | undefined {
  const folder = FOLDERS[path.slice(0, path.lastIndexOf('/'))] ?? FOLDERS['']!;
  return rowsOf(folder).find((row) => row.path === path);
}

function rowsOf({ total, row }: TestFolder): readonly BrowsedEntry[] {
  return Array.from({ length: Math.min(total, 200) }, (_, index) => row(index));
}

export const REPORT: RunReport = {
  files: 5,
  bytes: 420_000_000,
  bytesTransferred: 310_000_000,
  to: '/home/anna/Restored',
  warnings: [],
  failures: [],
  failuresTotal: 0,
  filesFailed: 0,
};

/** Answers of an agent with the folders above; `more` overrides them. */
export function restoreAnswers(more: Answers = {}): Answers {
  const listings = new Map<string, TestFolder>();
  return {
    'restore.sources': () => ({
      sources: [
        { set: 'Documents', device: 'dev_1', deviceName: 'Anna’s laptop' },
        { set: 'Photos', device: 'dev_2', deviceName: 'Old PC' },
      ],
    }),
    'restore.points': ({ set }) => ({ points: set === 'Documents' ? [...POINTS] : [] }),
    'restore.open': ({ path, restorePoint }) => {
      const folder = FOLDERS[path];
      if (!folder) throw new HoldfastError('path_not_found', { path });
      const listing = `${restorePoint} ${path}`;
      listings.set(listing, folder);
      return { listing };
    },
    'restore.rows': ({ listing, from, count }) => {
      const { total, row } = listings.get(listing)!;
      const end = Math.min(total, from + count);
      const entries = Array.from({ length: Math.max(0, end - from) }, (_, offset) => row(from + offset));
      return { entries, total, isComplete: true, isSorted: true };
    },
    'restore.jump': ({ listing, start, from }) => {
      const { total, row } = listings.get(listing)!;
      for (let step = 0; step < total; step += 1) {
        const at = (from + step) % total;
        if (row(at).name.toLowerCase().startsWith(start.toLowerCase())) return { row: at };
      }
      return {};
    },
    'shell.choose-folder': () => ({ path: '/home/anna/Restored' }),
    'shell.show-path': () => ({}),
    'restore.find': ({ paths }) => ({ entries: paths.flatMap((path) => entryAt(path) ?? []) }),
    'restore.waiting': () => ({}),
    'restore.undoable': () => ({}),
    'restore.later': () => ({}),
    'restore.forget': () => ({}),
    'restore.on-disk': ({ paths }) => ({
      found: paths.map((path) => ({ path, kind: 'file' as const, size: 12, modified: new Date(NOW).toISOString() })),
    }),
    'restore.plan': () => ({
      files: 1_204,
      bytes: 3_400_000_000,
      conflicts: ['/home/anna/Restored/notes.md', '/home/anna/Restored/tax return.pdf'],
      freeBytes: 812_000_000_000,
    }),
    'restore.start': () => ({ run: 21 }),
    'activity.run': ({ run }) => ({
      run: {
        id: run,
        kind: 'restore',
        destination: BACKUP_DISK.id,
        set: 'Documents',
        outcome: 'succeeded',
        startedAt: NOW,
        endedAt: NOW,
        warnings: 0,
      },
      steps: [],
      report: REPORT,
    }),
    ...more,
  };
}

/** The state while the restore above runs. */
export const RESTORING: AppState = {
  ...PROTECTED,
  health: 'running',
  runs: [
    {
      id: 21,
      kind: 'restore',

      set: 'Documents',
      trigger: 'person',
      startedAt: NOW,
      phase: 'downloading',
      filesDone: 402,
      filesTotal: 1_204,
      bytesDone: 1_100_000_000,
      bytesTotal: 3_400_000_000,
      bytesPerSecond: 48_000_000,
      etaSeconds: 48,
      currentPath: '/home/anna/Restored/Thesis/figures/microscope overview of the northern field station.tiff',
    },
  ],
};
