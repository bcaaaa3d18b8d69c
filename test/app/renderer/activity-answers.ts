import type { ListedRun } from '../../../src/ipc/contract/activity.ts';
import type { RunReport } from '../../../src/ipc/contract/restore/restore.ts';
import type { RestoreRequest } from '../../../src/model/restore-request.ts';
import type { Outcome, RunKind } from '../../../src/model/run.ts';
import { BACKUP_DISK, BUCKET, NOW } from './states.ts';
import type { Answers } from './window-page.ts';

const HOUR = 3_600_000;
const OUTCOMES: readonly Outcome[] = ['succeeded', 'succeeded', 'warnings', 'succeeded', 'failed', 'cancelled'];
const KINDS: readonly RunKind[] = ['backup', 'backup', 'backup', 'verify', 'backup', 'restore'];

/** `count` runs, the newest an hour ago, the others seven hours apart. */
export function pastRuns(count: number): readonly ListedRun[] {
  return Array.from({ length: count }, (_, index) => {
    const id = 1000 - index;
    const outcome = OUTCOMES[index % OUTCOMES.length]!;
    const startedAt = NOW - HOUR - index * 7 * HOUR;
    return {
      id,
      kind: KINDS[index % KINDS.length]!,
      outcome,
      destination: index % 4 === 1 ? BUCKET.id : index % 4 === 2 ? 'ffffffff' : BACKUP_DISK.id,
      set: index % 3 === 1 ? 'Pictures' : 'Documents',
      startedAt,
      endedAt: startedAt + 65_000 + index * 1_000,
      warnings: outcome === 'warnings' ? 3 : 0,
      trigger: 'schedule',
      ...(outcome === 'failed'
        ? { failure: { code: 'destination_missing', details: { directory: '/media/anna/Backup disk/holdfast' } } }
        : {}),
    };
  });
}

export const BACKUP_REPORT: RunReport = {
  restorePoint: new Date(NOW - HOUR).toISOString(),
  files: 18_204,
  chunksNew: 31,
  chunksDeduped: 2_310,
  bytes: 12_400_000_000,
  bytesTransferred: 48_000_000,
  seconds: 65,
  warnings: [],
  failures: [],
  failuresTotal: 0,
  filesFailed: 0,
};

export const RESTORE_REPORT: RunReport = {
  restorePoint: new Date(NOW - 26 * HOUR).toISOString(),
  files: 412,
  filesSkipped: 3,
  bytes: 940_000_000,
  bytesTransferred: 610_000_000,
  to: '/home/anna/Restored',
  warnings: [{ path: '/home/anna/Documents/old.txt', reason: 'owner-not-restored' }],
  failures: [
    { path: '/home/anna/Documents/Thesis/figures/microscope-2026.tiff', reason: 'chunk_missing' },
    { path: '/home/anna/Documents/locked.txt', reason: 'target_unwritable', detail: 'EACCES' },
  ],
  failuresTotal: 2,
  filesFailed: 2,
};

export const VERIFY_REPORT: RunReport = {
  restorePoint: new Date(NOW - HOUR).toISOString(),
  files: 412,
  bytes: 940_000_000,
  bytesTransferred: 610_000_000,
  warnings: [],
  failures: [],
  failuresTotal: 0,
  filesFailed: 0,
};

export const RESTORE_REQUEST: RestoreRequest = {
  set: 'Documents',
  device: 'dev_2',
  at: Date.parse(RESTORE_REPORT.restorePoint!),
  paths: ['/home/anna/Documents'],
  without: ['/home/anna/Documents/Archive'],
  to: '/home/anna/Restored',
  conflict: 'keep-both',
};

/** Answers of an agent that has these runs, each with this report. */
export function activityAnswers(runs: readonly ListedRun[], report: (run: ListedRun) => RunReport): Answers {
  return {
    'activity.list': ({ set, kind, outcome, destination, before, limit }) => {
      const fitting = runs.filter(
        (run) =>
          (set === undefined || run.set === set) &&
          (kind === undefined || run.kind === kind) &&
          (outcome === undefined || run.outcome === outcome) &&
          (destination === undefined || run.destination === destination) &&
          (before === undefined || run.id < before),
      );
      return { runs: fitting.slice(0, limit), hasMore: fitting.length > limit };
    },
    'activity.run': ({ run: id }) => {
      const run = runs.find((other) => other.id === id) ?? runs[0]!;
      return {
        run,
        steps: [
          { state: 'queued', at: run.startedAt },
          { state: 'scanning', at: run.startedAt + 1_000 },
          { state: 'waiting', at: run.startedAt + 9_000, reason: 'service_unreachable' },
          { state: 'uploading', at: run.startedAt + 31_000 },
          { state: 'succeeded', at: run.endedAt },
        ],
        report: report(run),
        ...(run.kind === 'restore' ? { request: RESTORE_REQUEST } : {}),
      };
    },
    'shell.copy': () => ({}),
    'shell.show-path': () => ({}),
    'runs.stop': () => ({}),
    'runs.backup': () => ({ run: 13 }),
    'runs.verify': () => ({ run: 13 }),
    'restore.start': () => ({ run: 13 }),
  };
}
