import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statfsSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SIDE_MARKER } from '../../../../src/os/filesystem/names/side-folder.ts';
import { windowAgentMethods } from '../../../../src/ipc/contract/contract.ts';
import type { RunReport } from '../../../../src/ipc/contract/restore/restore.ts';
import type { AppState } from '../../../../src/ipc/state.ts';
import { HostInTime, setForm } from './host-in-time.ts';

// docs/figures.md lists where each figure is shown. The counts are Python's, which shares no code with ours.

const COUNT = `
import hashlib, json, os, stat, sys
files = 0; size = 0; names = 0; contents = {}; inodes = set()
for folder, below, here in os.walk(sys.argv[1]):
    for name in here:
        path = os.path.join(folder, name)
        state = os.lstat(path)
        names += 1
        if not stat.S_ISREG(state.st_mode): continue
        if len(sys.argv) > 2 and name.endswith(sys.argv[2]): continue
        files += 1
        size += state.st_size
        with open(path, 'rb') as file: contents[hashlib.sha256(file.read()).hexdigest()] = state.st_size
print(json.dumps({'files': files, 'bytes': size, 'names': names, 'distinct': sum(contents.values())}))
`;

const ZIPPED = `
import json, sys, zipfile
entries = [entry for entry in zipfile.ZipFile(sys.argv[1]).infolist() if not entry.is_dir() and (entry.external_attr >> 28) == 8]
print(json.dumps({'files': len(entries), 'bytes': sum(entry.file_size for entry in entries)}))
`;

interface Counted {
  readonly files: number;
  readonly bytes: number;
  /** Of each content once. */
  readonly distinct: number;
}

function count(folder: string, without?: string): Counted {
  const words = ['-c', COUNT, folder, ...(without === undefined ? [] : [without])];
  return JSON.parse(execFileSync('python3', words, { encoding: 'utf8' })) as Counted;
}

function zipped(file: string): Pick<Counted, 'files' | 'bytes'> {
  const listed = execFileSync('python3', ['-c', ZIPPED, file], { encoding: 'utf8' });
  return JSON.parse(listed) as Pick<Counted, 'files' | 'bytes'>;
}

let folder: string;
let host: HostInTime;
const at = (...names: string[]): string => join(folder, ...names);
let seconds = 1_000_000;

function put(name: string, content: string | Uint8Array): string {
  mkdirSync(dirname(at('files', name)), { recursive: true });
  writeFileSync(at('files', name), content);
  seconds += 10;
  utimesSync(at('files', name), seconds, seconds);
  return at('files', name);
}

async function ask(name: string, input: object): Promise<Record<string, unknown>> {
  return (await host.call(name, input)) as Record<string, unknown>;
}

async function reportOf(run: unknown): Promise<RunReport> {
  await expect
    .poll(async () => ((await ask('activity.run', { run }))['run'] as { outcome?: string }).outcome, {
      timeout: 60_000,
    })
    .toBeDefined();
  return (await ask('activity.run', { run }))['report'] as RunReport;
}

const backUp = async (): Promise<RunReport> => reportOf((await ask('runs.backup', { set: 'Documents' }))['run']);
const state = async (holds: (state: AppState) => boolean): Promise<AppState> => host.seen(holds);

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-figures-')));
  put('notes.txt', 'four words of text');
  put('empty', '');
  put('deep/er/photo.jpg', randomBytes(700_000));
  put('deep/copy of photo.jpg', execFileSync('cat', [at('files/deep/er/photo.jpg'), '/dev/null']));
  put('deep/film.mkv', randomBytes(9_000_000));
  put('left out.tmp', randomBytes(50_000));
  linkSync(at('files/notes.txt'), at('files/second name.txt'));
  symlinkSync('notes.txt', at('files/link'));
  mkdirSync(at('files/nothing in it'));
  host = new HostInTime(at('home'));
  host.start();
  const destination = { kind: 'folder', path: at('backups') };
  await ask('setup.finish', { choice: destination, deviceName: 'laptop' });
  await ask('sets.add', { form: { ...setForm(at('files'), 'manual'), excludes: ['*.tmp'] } });
});
afterAll(async () => {
  await host[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

describe('figures, compared with an independent count', () => {
  test('of an estimate', async () => {
    const input = { estimate: 'one', roots: [at('files')], excludes: ['*.tmp'], presets: [], oneFileSystem: false };
    const { files, bytes } = count(at('files'), '.tmp');
    await expect.poll(() => ask('sets.estimate', input)).toMatchObject({ done: true, files, bytes });
    const [rule] = (await ask('sets.estimate', input))['rules'] as readonly object[];
    expect(rule).toMatchObject({ rule: '*.tmp', files: 1, bytes: 50_000 });
  });

  test('of a first backup, of one without changes, and of one with a changed file', async () => {
    const { files, bytes } = count(at('files'), '.tmp');
    const first = await backUp();
    expect(first).toMatchObject({ files, bytesInPoint: bytes, bytes });
    expect(first.bytesTransferred).toBeGreaterThanOrEqual(9_700_000);
    expect(await backUp()).toMatchObject({ files, bytesInPoint: bytes, bytes: 0, chunksNew: expect.any(Number) });
    put('changed.txt', 'x'.repeat(12_345));
    expect(await backUp()).toMatchObject({ files: files + 1, bytesInPoint: bytes + 12_345, bytes: 12_345 });
  });

  test('of Home, the set and the destination', async () => {
    const { files, bytes } = count(at('files'), '.tmp');
    const shown = await state(({ runs, sets }) => runs.length === 0 && sets[0]?.lastPoint?.files === files);
    expect(shown.sets[0]!.lastPoint).toMatchObject({ files, bytes });
    expect(shown.storage.protectedBytes).toBe(bytes);
    const stored = count(at('backups')).bytes;
    const [destination] = shown.destinations;
    expect(destination!.storage.storedBytes).toBe(shown.storage.storedBytes);
    // The sealed blobs: packs have lists of them, too, and the destination has ledgers.
    const packs = count(at('backups/packs')).bytes;
    expect(shown.storage.storedBytes).toBeLessThan(packs);
    expect(shown.storage.storedBytes).toBeGreaterThan(packs * 0.999);
    expect(shown.storage.storedBytes).toBeLessThan(stored);
    expect(destination!.sets[0]!.lastPoint).toMatchObject({ files, bytes });
    const { runs: past } = (await ask('activity.list', { limit: 10, kind: 'backup' })) as { runs: { id: number }[] };
    let sent = 0;
    for (const { id } of past) sent += (await reportOf(id)).bytesTransferred;
    expect(shown.days.at(-1)).toMatchObject({ runs: 3, outcome: 'succeeded', bytes: sent });
    // All that was ever sent is there, and nothing else.
    expect(sent).toBe(shown.storage.storedBytes);
    const { bsize, bavail } = statfsSync(at('backups'));
    expect(shown.destination!.freeBytes! / (bsize * bavail)).toBeCloseTo(1, 0);
  });

  test('of the restore points, at the agent and as the destination lists them', async () => {
    const { files, bytes } = count(at('files'), '.tmp');
    const { points } = await ask('restore.points', { set: 'Documents' });
    expect((points as readonly object[])[0]).toMatchObject({ files, bytes });
    expect(points).toHaveLength(3);
  });

  test('of a check of everything: each version of a file, and each content once', async () => {
    const { files, distinct } = count(at('files'), '.tmp');
    const report = await reportOf((await ask('runs.verify', { set: 'Documents', samplePercent: 100 }))['run']);
    expect(report).toMatchObject({ files, bytes: distinct, pointsChecked: 3, filesFailed: 0 });
    // Sealed, with the lists of files, of which the restore points share parts.
    expect(report.bytesTransferred).toBeGreaterThan(9_700_000);
    expect(report.bytesTransferred).toBeLessThan(count(at('backups/packs')).bytes * 1.01);
  });

  test('of a check of the destination', async () => {
    const packs = count(at('backups/packs'));
    const report = await reportOf((await ask('runs.check', { readPercent: 100 }))['run']);
    expect(report).toMatchObject({ files: packs.files, bytes: packs.bytes, bytesTransferred: packs.bytes });
    expect(report.check).toMatchObject({ restorePoints: 3, findingsTotal: 0, lossesTotal: 0 });
    expect((await reportOf((await ask('runs.check', {}))['run'])).bytesTransferred).toBe(0);
  });

  test('of a restore to another folder: its plan and its result', async () => {
    const { files } = count(at('files'), '.tmp');
    const request = { set: 'Documents', at: 'latest', paths: [], to: at('target') };
    const restorePoint = (
      (await ask('restore.points', { set: 'Documents' }))['points'] as { restorePoint: string }[]
    )[0]!.restorePoint;
    const plan = await ask('restore.plan', { ...request, at: Date.parse(restorePoint) });
    const report = await reportOf((await ask('restore.start', { ...request, at: Date.parse(restorePoint) }))['run']);
    const written = count(at('target'));
    expect(written.files).toBe(files);
    // Two names of one file are written once.
    const bytes = written.bytes - 'four words of text'.length;
    expect(plan).toMatchObject({ files, bytes, conflicts: [] });
    expect(report).toMatchObject({ files, bytes, filesFailed: 0 });
  });

  test('of a restore to the original place: what is there already, and what has to be fetched', async () => {
    const before = count(at('files'), '.tmp');
    const restorePoint = (
      (await ask('restore.points', { set: 'Documents' }))['points'] as { restorePoint: string }[]
    )[0]!.restorePoint;
    rmSync(at('files/deep/film.mkv'));
    put('changed.txt', 'other');
    const request = { set: 'Documents', at: Date.parse(restorePoint), paths: [], to: null, conflict: 'overwrite' };
    const plan = await ask('restore.plan', request);
    expect(plan).toMatchObject({
      files: 2,
      bytes: 9_000_000 + 12_345,
      bytesToFetch: 9_000_000 + 12_345,
      unchanged: before.files - 2,
      conflictsTotal: 1,
    });
    const report = await reportOf((await ask('restore.start', request))['run']);
    expect(report).toMatchObject({ files: 2, bytes: 9_000_000 + 12_345, filesUnchanged: before.files - 2 });
    expect(count(at('files'), '.tmp').files).toBe(before.files);
  });

  test('of an archive, which Python opens, and of its run', async () => {
    const { points } = (await ask('restore.points', { set: 'Documents' })) as { points: { restorePoint: string }[] };
    const { restorePoint } = points[0]!;
    const file = at('archive.zip');
    const request = { set: 'Documents', at: Date.parse(restorePoint), paths: [], file, format: 'zip', replaces: false };
    // The person names a file in the system's dialog; the window cannot.
    expect(Object.keys(windowAgentMethods)).not.toContain('restore.export');
    const { run } = await ask('restore.export', request);
    const report = await reportOf(run);
    const { files, bytes } = zipped(file);
    expect(report).toMatchObject({ file, files, bytes, restorePoint, failuresTotal: 0 });
    expect(files).toBe(count(at('files'), '.tmp').files);
    const { runs } = (await ask('activity.list', { limit: 1, kind: 'export' })) as { runs: object[] };
    expect(runs).toMatchObject([{ id: run, kind: 'export', set: 'Documents', outcome: 'succeeded', warnings: 0 }]);
    // An existing file is replaced only if the person has agreed to it.
    const again = await ask('restore.export', request);
    await reportOf(again['run']);
    expect((await ask('activity.run', { run: again['run'] }))['run']).toMatchObject({ outcome: 'failed' });
    expect(zipped(file)).toEqual({ files, bytes });
    // What is deselected is left out.
    const part = { ...request, without: [at('files/deep')], replaces: true };
    const smaller = await reportOf((await ask('restore.export', part))['run']);
    expect(smaller).toMatchObject({ ...zipped(file), failuresTotal: 0 });
    expect(smaller.files).toBe(files - count(at('files/deep')).files);
  });

  test('of an undo, and of its run', async () => {
    const { points } = (await ask('restore.points', { set: 'Documents' })) as { points: { restorePoint: string }[] };
    const { restorePoint } = points[0]!;
    writeFileSync(at('files/notes.txt'), 'changed by mistake');
    rmSync(at('files/deep/film.mkv'));
    const { run } = await ask('restore.start', {
      set: 'Documents',
      at: Date.parse(restorePoint),
      paths: [],
      to: null,
      conflict: 'overwrite',
    });
    await reportOf(run);
    expect(readFileSync(at('files/notes.txt'), 'utf8')).toBe('four words of text');
    const { last } = (await ask('restore.undoable', {})) as { last: { startedAt: number } };
    const outcome = await ask('restore.undo', { startedAt: last.startedAt });
    expect(readFileSync(at('files/notes.txt'), 'utf8')).toBe('changed by mistake');
    const { runs } = (await ask('activity.list', { limit: 1, kind: 'undo' })) as { runs: { id: number }[] };
    expect(runs).toMatchObject([{ kind: 'undo', set: 'Documents', outcome: 'succeeded', trigger: 'person' }]);
    const report = await reportOf(runs[0]!.id);
    expect(report.undo).toEqual(outcome);
    // What the restore had made is in the folders that the undo names, beside their markers.
    const aside = execFileSync('find', [...report.undo!.movedTo, '-type', 'f', '-printf', '%f\n'], {
      encoding: 'utf8',
    });
    const names = aside.split('\n').filter((name) => name !== '' && name !== SIDE_MARKER);
    expect(names.toSorted()).toEqual(['film.mkv', 'notes.txt', 'second name.txt']);
    // The film was missing before, and is again.
    expect(report).toMatchObject({ files: 2, undo: { putBack: 2, movedAside: names.length, notUndoneTotal: 0 } });
    expect(existsSync(at('files/deep/film.mkv'))).toBe(false);
  });
});
