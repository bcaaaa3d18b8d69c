import { expect, test } from 'vitest';
import { CombinedProgress } from '../../../../../src/agent/operations/backup/combined-progress.ts';
import { INITIAL_BACKUP_PROGRESS } from '../../../../../src/archive/backup/progress-meter.ts';
import type { BackupProgress } from '../../../../../src/jobs/progress.ts';

function combining(): { readonly progress: CombinedProgress; readonly last: () => BackupProgress | undefined } {
  let last: BackupProgress | undefined;
  const progress = new CombinedProgress(['a', 'b'], (combined) => {
    last = combined;
  });
  return { progress, last: () => last };
}

const at = (change: Partial<BackupProgress>): BackupProgress => ({ ...INITIAL_BACKUP_PROGRESS, ...change });

test('files are counted once, and chunks and bytes for each destination', () => {
  const { progress, last } = combining();
  progress.update('a', at({ filesScanned: 10, bytesScanned: 100, chunksTotal: 4, bytesTotal: 60, bytesUploaded: 5 }));
  progress.update('b', at({ filesScanned: 9, bytesScanned: 90, chunksUploaded: 1, bytesTotal: 30, bytesUploaded: 2 }));
  expect(last()).toMatchObject({ filesScanned: 10, bytesScanned: 100, bytesTotal: 90, bytesUploaded: 7 });
  expect(last()).toMatchObject({ chunksTotal: 4, chunksUploaded: 1 });
});

test('the phase, the time left and the waiting are those of the last destination', () => {
  const { progress, last } = combining();
  progress.update('a', at({ phase: 'committing', etaSeconds: 1 }));
  expect(last()).toMatchObject({ phase: 'scanning', etaSeconds: 1, waiting: undefined });
  progress.update('b', at({ phase: 'uploading', etaSeconds: 60, waiting: 'service_unreachable' }));
  // One still moves.
  expect(last()).toMatchObject({ phase: 'uploading', etaSeconds: 60, waiting: undefined });
  progress.end('a');
  expect(last()).toMatchObject({ phase: 'uploading', etaSeconds: 60, waiting: 'service_unreachable' });
});

test('what a destination has sent still counts after its end', () => {
  const { progress, last } = combining();
  progress.update('a', at({ phase: 'uploading', bytesUploaded: 50, bytesTotal: 80, currentPath: '/a' }));
  progress.update('b', at({ phase: 'uploading', bytesUploaded: 10, bytesTotal: 80, currentPath: '/b' }));
  progress.end('a');
  progress.update('a', at({ bytesUploaded: 1 }));
  expect(last()).toMatchObject({ bytesUploaded: 60, bytesTotal: 160, currentPath: '/b' });
});
