import { beforeEach, describe, expect, test } from 'vitest';
import { DestinationProgress } from '../../../../../src/agent/host/runs/destination-progress.ts';
import { INITIAL_BACKUP_PROGRESS } from '../../../../../src/archive/backup/progress-meter.ts';
import type { BackupProgress } from '../../../../../src/jobs/progress.ts';

const DISK = { id: '0a1b2c3d', name: 'Backup disk' };
const CLOUD = { id: '1b2c3d4e', name: 'Cloud' };

let changes: number;
let progress: DestinationProgress;

beforeEach(() => {
  changes = 0;
  progress = new DestinationProgress({ notify: () => void (changes += 1) });
  progress.begin([DISK, CLOUD]);
});

const at = (change: Partial<BackupProgress>): BackupProgress => ({ ...INITIAL_BACKUP_PROGRESS, ...change });

describe('the progress at several destinations', () => {
  test('begins with their opening, and ends with the run', () => {
    const opening = { phase: 'opening', bytesDone: 0, chunksDone: 0 };
    expect(progress.rows).toEqual([
      { ...DISK, ...opening },
      { ...CLOUD, ...opening },
    ]);
    progress.end();
    expect(progress.rows).toBeUndefined();
    expect(progress.isActiveAt(DISK.id)).toBe(false);
  });

  test('follows each by itself, with totals once they are known', () => {
    progress.update(CLOUD.id, at({ phase: 'scanning', bytesUploaded: 5, chunksUploaded: 1, bytesTotal: 5 }));
    expect(progress.rows![1]).toEqual({ ...CLOUD, phase: 'scanning', bytesDone: 5, chunksDone: 1 });
    const uploading = {
      phase: 'uploading',
      bytesUploaded: 7,
      chunksUploaded: 2,
      bytesTotal: 9,
      chunksTotal: 3,
    } as const;
    progress.update(CLOUD.id, at({ ...uploading, waiting: 'service' }));
    const shown = { ...CLOUD, phase: 'uploading', bytesDone: 7, chunksDone: 2, bytesTotal: 9, chunksTotal: 3 };
    expect(progress.rows![1]).toEqual({ ...shown, waiting: 'service' });
    progress.update(CLOUD.id, at({ ...uploading, bytesUploaded: 6, chunksUploaded: 1 }));
    expect(progress.rows![1]).toEqual(shown);
    expect(progress.rows![0]!.phase).toBe('opening');
    expect(changes).toBe(3);
  });

  test('stays at the end of a destination, with the reason of a failure', () => {
    const failure = { code: 'service_unreachable', details: { address: 'https://a' } } as const;
    progress.update(DISK.id, at({ phase: 'uploading', waiting: 'service' }));
    progress.ended(DISK.id, failure);
    progress.ended(CLOUD.id, undefined);
    progress.update(DISK.id, at({ phase: 'uploading' }));
    progress.update(CLOUD.id, at({ phase: 'committing' }));
    expect(progress.rows).toMatchObject([{ phase: 'failed', failure }, { phase: 'done' }]);
    expect(progress.rows![0]).not.toHaveProperty('waiting');
    expect([DISK, CLOUD].map(({ id }) => progress.isActiveAt(id))).toEqual([false, false]);
  });

  test('is that of the run alone for one destination', () => {
    progress.begin([CLOUD]);
    expect(progress.rows).toBeUndefined();
    expect(progress.isActiveAt(CLOUD.id)).toBe(true);
    expect(progress.isActiveAt(DISK.id)).toBe(false);
    progress.update(DISK.id, at({ phase: 'uploading' }));
    progress.ended(DISK.id, undefined);
    expect(changes).toBe(0);
  });
});
