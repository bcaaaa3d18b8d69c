import { describe, expect, test } from 'vitest';
import { RunProgress } from '../../../../../src/agent/host/runs/run-progress.ts';
import type { BackupProgress, RestoreProgress } from '../../../../../src/jobs/progress.ts';

const START = Date.UTC(2026, 10, 21);
const MIB = 2 ** 20;

const scanning: BackupProgress = {
  kind: 'backup',
  phase: 'scanning',
  filesScanned: 10,
  bytesScanned: 900 * MIB,
  chunksTotal: 0,
  chunksUploaded: 0,
  bytesTotal: 0,
  bytesUploaded: 0,
  currentPath: '/a',
  etaSeconds: undefined,
  waiting: undefined,
};
const uploading: BackupProgress = {
  ...scanning,
  phase: 'uploading',
  filesScanned: 20,
  bytesTotal: 100 * MIB,
  bytesUploaded: 10 * MIB,
  etaSeconds: 90,
};

function newBackup(): RunProgress {
  const run = new RunProgress({ kind: 'backup', set: 'Documents', trigger: 'schedule' }, START);
  run.begin(5);
  return run;
}

describe('the progress of a run', () => {
  test('is returned once the run has a job', () => {
    const run = new RunProgress({ kind: 'backup', set: 'Documents', trigger: 'schedule' }, START);
    expect(run.state(START)).toBeUndefined();
    run.begin(5);
    expect(run.state(START)).toEqual({
      id: 5,
      kind: 'backup',
      set: 'Documents',
      trigger: 'schedule',
      startedAt: START,
      phase: 'scanning',
      filesDone: 0,
      bytesDone: 0,
    });
  });

  test('of a scan is compared with the newest restore point, and has a time left', () => {
    const expected = { files: 1000, bytes: 3000 * MIB };
    const run = new RunProgress({ kind: 'backup', set: 'Documents', trigger: 'schedule', expected }, START);
    run.begin(5);
    run.update({ ...scanning, bytesScanned: 300 * MIB }, START);
    run.update({ ...scanning, bytesScanned: 900 * MIB }, START + 6000);
    const scan = { bytes: 900 * MIB, bytesExpected: 3000 * MIB, filesExpected: 1000 };
    // 2,100 MiB at 100 MiB per second.
    expect(run.state(START + 6000)).toMatchObject({ scan, etaSeconds: 21 });
    run.update({ ...scanning, bytesScanned: 100 * MIB }, START + 7000);
    expect(run.state(START + 7000)).toMatchObject({ scan });
    run.update({ ...scanning, bytesScanned: 3500 * MIB }, START + 9000);
    expect(run.state(START + 9000)).not.toHaveProperty('etaSeconds');
    run.update(uploading, START + 10_000);
    expect(run.state(START + 10_000)).not.toHaveProperty('scan');
    expect(run.state(START + 10_000)).toMatchObject({ etaSeconds: 90 });
  });

  test('of a first scan has no share', () => {
    const run = newBackup();
    run.update(scanning, START);
    expect(run.state(START)).not.toHaveProperty('scan');
  });

  test('begins at the progress of the interrupted run', () => {
    const reached = { filesDone: 15, bytesDone: 40 * MIB };
    const run = new RunProgress({ kind: 'backup', set: 'Documents', trigger: 'resume' }, START, reached);
    run.begin(6);
    expect(run.state(START)).toMatchObject({ filesDone: 15, bytesDone: 40 * MIB });
    run.update(scanning, START);
    expect(run.state(START)).toMatchObject({ filesDone: 15, bytesDone: 40 * MIB });
    run.update(uploading, START + 100);
    expect(run.state(START + 100)).toMatchObject({
      filesDone: 20,
      filesTotal: 20,
      bytesDone: 50 * MIB,
      bytesTotal: 140 * MIB,
    });
    // Bytes of the interrupted run do not count as speed.
    run.update({ ...uploading, bytesUploaded: 20 * MIB }, START + 2100);
    expect(run.state(START + 2100)!.bytesPerSecond).toBeLessThan(20 * MIB);
  });

  test('never exceeds the number of files', () => {
    const reached = { filesDone: 90, bytesDone: 0 };
    const run = new RunProgress({ kind: 'backup', set: 'Documents', trigger: 'resume' }, START, reached);
    run.begin(6);
    run.update(uploading, START);
    expect(run.state(START)).toMatchObject({ filesDone: 20, filesTotal: 20 });
  });

  test('has no total while scanning, and the bytes to send while uploading', () => {
    const run = newBackup();
    run.update(scanning, START);
    expect(run.state(START)).toMatchObject({ phase: 'scanning', filesDone: 10, bytesDone: 0, currentPath: '/a' });
    expect(run.state(START)).not.toHaveProperty('bytesTotal');
    run.update(uploading, START + 100);
    expect(run.state(START + 100)).toMatchObject({
      phase: 'uploading',
      filesDone: 20,
      filesTotal: 20,
      bytesDone: 10 * MIB,
      bytesTotal: 100 * MIB,
      etaSeconds: 90,
    });
  });

  test('never decreases', () => {
    const run = newBackup();
    run.update(uploading, START);
    run.update({ ...uploading, phase: 'scanning', filesScanned: 3, bytesUploaded: 2 }, START + 100);
    expect(run.state(START + 100)).toMatchObject({ filesDone: 20, bytesDone: 10 * MIB });
  });

  test('has the speed of the last seconds, which falls when nothing is transferred', () => {
    const run = newBackup();
    const speedAt = (second: number): number | undefined => run.state(START + second * 1000)!.bytesPerSecond;
    for (let second = 0; second <= 10; second += 1) {
      const bytesUploaded = (second <= 5 ? second : 5 + (second - 5) * 3) * MIB;
      run.update({ ...uploading, bytesUploaded }, START + second * 1000);
      if (second === 0) expect(speedAt(0)).toBeUndefined();
      if (second === 5) expect(speedAt(5)).toBe(MIB);
    }
    expect(speedAt(10)).toBe(3 * MIB);
    expect(speedAt(13)!).toBeLessThan(3 * MIB);
    expect(speedAt(60)).toBe(0);
  });

  test('has neither speed nor time left while it waits or stops', () => {
    const run = newBackup();
    run.update(uploading, START);
    run.update({ ...uploading, bytesUploaded: 20 * MIB, waiting: 'service_silent' }, START + 2000);
    const waiting = run.state(START + 2000)!;
    expect(waiting.waiting).toBe('service_silent');
    expect(waiting).not.toHaveProperty('bytesPerSecond');
    expect(waiting).not.toHaveProperty('etaSeconds');
    run.stopping();
    expect(run.state(START + 2000)!.phase).toBe('stopping');
  });

  test('has totals once a restore is planned', () => {
    const run = new RunProgress({ kind: 'restore', set: 'Documents', trigger: 'person' }, START);
    run.begin(6);
    const planning: RestoreProgress = {
      kind: 'restore',
      phase: 'planning',
      filesTotal: 0,
      filesDone: 0,
      bytesTotal: 0,
      bytesDone: 0,
      bytesDownloaded: 0,
      currentPath: undefined,
      etaSeconds: undefined,
      waiting: undefined,
    };
    run.update(planning, START);
    expect(run.state(START)).not.toHaveProperty('filesTotal');
    run.update(
      { ...planning, phase: 'downloading', filesTotal: 4, filesDone: 1, bytesTotal: 40, bytesDone: 10 },
      START,
    );
    expect(run.state(START)).toMatchObject({ filesTotal: 4, filesDone: 1, bytesTotal: 40, bytesDone: 10 });
  });
});
