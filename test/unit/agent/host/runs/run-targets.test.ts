import { describe, expect, test } from 'vitest';
import { RunTargets } from '../../../../../src/agent/host/runs/run-targets.ts';
import { INITIAL_BACKUP_PROGRESS } from '../../../../../src/archive/backup/progress-meter.ts';
import type { BackupProgress } from '../../../../../src/jobs/progress.ts';
import { folderEntry } from '../../../../helpers/stored-settings.ts';

const MIB = 1024 * 1024;
const disk = folderEntry('disk', '/media/disk');
const cloud = folderEntry('cloud', '', {
  destination: { kind: 'service', url: 'https://backup.example.org', signIn: { kind: 'device' } },
});

function progress(phase: BackupProgress['phase'], bytesUploaded: number, waiting?: string): BackupProgress {
  return { ...INITIAL_BACKUP_PROGRESS, phase, bytesUploaded, waiting };
}

describe('the destinations that a backup has not ended at', () => {
  test('are all of them before any progress', () => {
    const target = { readAt: undefined, hasSent: false, isWaiting: false };
    expect(new RunTargets([disk, cloud]).remaining).toEqual([
      { destination: 'disk', ...target },
      { destination: 'cloud', ...target },
    ]);
  });

  test('are read when the first of them is sent what it lacks', () => {
    const targets = new RunTargets([disk, cloud]);
    targets.update('disk', progress('scanning', 0), 1);
    expect(targets.remaining.map(({ readAt }) => readAt)).toEqual([undefined, undefined]);
    targets.update('disk', progress('uploading', 0), 2);
    targets.update('disk', progress('scanning', 0), 3);
    targets.update('cloud', progress('committing', 0), 4);
    expect(targets.remaining.map(({ readAt }) => readAt)).toEqual([2, 2]);
  });

  test('do not count what was sent while the set was read', () => {
    const targets = new RunTargets([cloud]);
    const hasSent = (): boolean => targets.remaining[0]!.hasSent;
    targets.update('cloud', progress('scanning', 100), 1);
    targets.update('cloud', progress('uploading', 200), 2);
    expect(hasSent()).toBe(false);
    targets.update('cloud', progress('uploading', 201), 3);
    expect(hasSent()).toBe(true);
  });

  test('count what a repository certainly has stored', () => {
    const targets = new RunTargets([disk]);
    const hasSent = (): boolean => targets.remaining[0]!.hasSent;
    targets.update('disk', progress('uploading', MIB), 1);
    targets.update('disk', progress('uploading', 65 * MIB), 2);
    expect(hasSent()).toBe(false);
    targets.update('disk', progress('uploading', 65 * MIB + 1), 3);
    expect(hasSent()).toBe(true);
  });

  test('are waited for as long as their newest progress says so', () => {
    const targets = new RunTargets([cloud]);
    targets.update('cloud', progress('scanning', 0, 'service_unreachable'), 1);
    expect(targets.remaining).toMatchObject([{ isWaiting: true }]);
    targets.update('cloud', progress('scanning', 0), 2);
    expect(targets.remaining).toMatchObject([{ isWaiting: false }]);
  });

  test('block the run before reading if none can be reached', () => {
    const targets = new RunTargets([cloud, disk]);
    const readAt = (): unknown => targets.remaining[0]?.readAt;
    targets.update('cloud', progress('scanning', 0, 'service_unreachable'), 1);
    expect(readAt()).toBeUndefined();
    targets.ended('disk');
    expect(readAt()).toBe(1);
    targets.update('cloud', progress('scanning', 0, 'service_unreachable'), 2);
    expect(readAt()).toBe(1);
    targets.update('cloud', { ...progress('scanning', 0, 'service_unreachable'), filesScanned: 1 }, 3);
    expect(readAt()).toBeUndefined();
  });

  test('are not those that are done, whatever they report', () => {
    const targets = new RunTargets([disk, cloud]);
    targets.ended('disk');
    targets.update('disk', progress('committing', 0), 1);
    expect(targets.remaining).toMatchObject([{ destination: 'cloud', readAt: undefined }]);
  });
});
