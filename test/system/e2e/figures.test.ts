import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CAN_LINK } from '../../helpers/can-link.ts';
import { Workplace } from './workplace.ts';

// docs/figures.md lists the figures. The counts share no code with ours.

/** A state of the source. */
interface Counted {
  readonly files: number;
  readonly bytes: number;
  /** Of files with several names once. */
  readonly once: number;
  /** Of each content once. */
  readonly distinct: number;
  /** Contents that are not empty. Each is one chunk, as no file is larger than the smallest chunk. */
  readonly contents: number;
  readonly all: Readonly<Record<string, readonly [size: number, digest: string]>>;
}

function count(folder: string): Counted {
  const all: Record<string, readonly [size: number, digest: string]> = {};
  const inodes = new Map<bigint, number>();
  const contents = new Map<string, number>();
  for (const path of filesBelow(folder)) {
    if (path.endsWith('.tmp')) continue;
    const content = readFileSync(path);
    const digest = createHash('sha256').update(content).digest('hex');
    all[path] = [content.length, digest];
    inodes.set(lstatSync(path, { bigint: true }).ino, content.length);
    contents.set(digest, content.length);
  }
  return {
    files: Object.keys(all).length,
    bytes: sumOf(Object.values(all).map(([size]) => size)),
    once: sumOf([...inodes.values()]),
    distinct: sumOf([...contents.values()]),
    contents: [...contents.values()].filter((size) => size > 0).length,
    all,
  };
}

function stored(folder: string): { readonly files: number; readonly bytes: number } {
  const paths = filesBelow(folder);
  return { files: paths.length, bytes: sumOf(paths.map((path) => lstatSync(path).size)) };
}

/** The paths of all files below a folder, without links. */
function filesBelow(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.map((name) => join(folder, name)).filter((path) => lstatSync(path).isFile());
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}

/** As it is printed: three figures, in units of 1,000. */
function printed(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const [unit, value] = bytes < 999_500 ? ['kB', bytes / 1e3] : ['MB', bytes / 1e6];
  return `${value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0)} ${unit}`;
}

interface Change {
  readonly path: string;
  readonly change: string;
  readonly before: { readonly type: string; readonly size: number } | null;
  readonly after: { readonly type: string; readonly size: number } | null;
}

type Figures = Readonly<Record<string, number>>;

let place: Workplace;
let source: string;
let first: Counted;
let second: Counted;
let points: string[];
let backups: Figures[];
let wall: number;

beforeAll(async () => {
  place = new Workplace();
  source = place.path('source');
  mkdirSync(join(source, 'deep', 'er'), { recursive: true });
  const put = (name: string, content: string | Uint8Array): void => writeFileSync(join(source, name), content);
  put('notes.txt', 'four words of text');
  put('empty', '');
  put('deep/er/photo.jpg', randomBytes(200_000));
  copyFileSync(join(source, 'deep/er/photo.jpg'), join(source, 'deep/copy of photo.jpg'));
  put('deep/report.txt', randomBytes(100_000));
  put('deep/old report.txt', 'old');
  put('left out.tmp', randomBytes(50_000));
  linkSync(join(source, 'notes.txt'), join(source, 'second name.txt'));
  if (CAN_LINK) symlinkSync('notes.txt', join(source, 'link'));
  await place.setUp();
  await place.json(['set', 'add', 'docs', source, '--exclude', '!*', '--exclude', '*.tmp']);
  first = count(source);
  const began = performance.now();
  backups = [await place.json<Figures>(['backup', 'docs'])];
  wall = (performance.now() - began) / 1000;
  put('deep/report.txt', randomBytes(70_000));
  put('new.txt', randomBytes(12_345));
  rmSync(join(source, 'deep/old report.txt'));
  second = count(source);
  backups.push(await place.json<Figures>(['backup', 'docs']));
  points = backups.map((each) => String((each as Record<string, unknown>)['restore_point']));
}, 900_000);
afterAll(() => place?.[Symbol.dispose]());

async function printedBy(...words: readonly string[]): Promise<string> {
  const { status, stdout } = await place.run(...words);
  expect({ words, status }).toEqual({ words, status: 0 });
  return stdout.replaceAll(/ +/g, ' ');
}

describe('figures of the command line, compared with an independent count', () => {
  test('of backups', async () => {
    const [one, two] = backups as [Figures, Figures];
    expect(one).toMatchObject({ files_processed: first.files, bytes_scanned: first.bytes });
    expect(two).toMatchObject({ files_processed: second.files, bytes_scanned: second.bytes });
    // The rest is the list of files.
    const isList = (chunks: number): void => {
      expect([1, 2, 3]).toContain(chunks);
    };
    isList(one['chunks_new']! - first.contents);
    isList(two['chunks_new']! - 2);
    expect(one['bytes_new']! - first.distinct).toBeLessThan(5_000);
    expect(one['bytes_new']).toBeGreaterThan(first.distinct);
    expect(two['bytes_new']! - 70_000 - 12_345).toBeLessThan(5_000);
    expect(two['bytes_new']).toBeGreaterThan(70_000 + 12_345);
    expect(one['duration_seconds']).toBeLessThan(wall);
    expect(one['duration_seconds']).toBeGreaterThan(0);
    // A pack has a list of its blobs, too.
    const uploaded = one['bytes_uploaded']! + two['bytes_uploaded']!;
    const { bytes } = stored(join(place.destination, 'packs'));
    expect(uploaded).toBeLessThan(bytes);
    expect(uploaded).toBeGreaterThan(bytes - 2_000);
    const text = await printedBy('backup', 'docs', '--dry-run');
    expect(text).toContain(`Scanned ${second.files} files, ${printed(second.bytes)}`);
    expect(text).toContain('New or changed 0 bytes');
    expect(text).toContain(`*.tmp 1 file ${printed(50_000)}`);
  });

  test('of restore points, of a folder, and of the status', async () => {
    const listed = await place.json<{ points: readonly Figures[] }>(['points', 'docs']);
    expect(listed.points).toMatchObject([
      { restore_point: points[1], files: second.files, bytes: second.bytes },
      { restore_point: points[0], files: first.files, bytes: first.bytes },
    ]);
    expect(await printedBy('points', 'docs')).toMatch(
      new RegExp(
        `${points[1]!} .* ${second.files} ${printed(second.bytes)}\n${points[0]!} .* ${first.files} ${printed(first.bytes)}`,
      ),
    );
    const listing = ['ls', 'docs', join(source, 'deep'), '--at', points[0]!];
    const { entries } = await place.json<{ entries: readonly { path: string; type: string; size: number }[] }>(listing);
    const sizes = Object.entries(first.all)
      .filter(([path]) => path.startsWith(join(source, 'deep/')) && !path.includes('/er/'))
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
    expect(entries.filter(({ type }) => type === 'file').map(({ path, size }) => [path, size])).toEqual(
      sizes.map(([path, [size]]) => [path, size]),
    );
    const status = await place.json<{ sets: readonly object[] }>(['status']);
    expect(status.sets).toMatchObject([{ name: 'docs', last_restore_point: points[1], last_run: { warnings: 0 } }]);
  });

  test('of searches, versions and changes', async () => {
    const { matches } = await place.json<{ matches: readonly { path: string }[] }>(['find', 'docs', 'report']);
    const report = join(source, 'deep/report.txt');
    const old = join(source, 'deep/old report.txt');
    expect(matches.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toMatchObject([
      { path: old, size: first.all[old]![0], versions: 1, deleted: true, from: points[0], to: points[0] },
      { path: report, size: second.all[report]![0], versions: 2, deleted: false, from: points[0], to: points[1] },
    ]);
    const asked = ['versions', 'docs', report];
    const { versions } = await place.json<{ versions: readonly { size: number; content: string }[] }>(asked);
    expect(versions.map(({ size }) => size)).toEqual([second.all[report]![0], first.all[report]![0]]);
    expect(versions[0]!.content).not.toBe(versions[1]!.content);
    const paths = [...new Set([...Object.keys(first.all), ...Object.keys(second.all)])].toSorted();
    const expected = paths.flatMap((path) => {
      const [before, after] = [first.all[path]?.[1], second.all[path]?.[1]];
      if (before === after) return [];
      return [`${path} ${before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'}`];
    });
    const { changes } = await place.json<{ changes: readonly Change[] }>(['diff', 'docs']);
    const files = changes.flatMap(({ path, change, before, after }) => {
      if ((after ?? before)!.type !== 'file') return [];
      expect([before?.size, after?.size]).toEqual([first.all[path]?.[0], second.all[path]?.[0]]);
      return [`${path} ${change}`];
    });
    expect(files.toSorted()).toEqual(expected);
  });

  test('of a verification, a check and a drill', async () => {
    const verified = await place.json<Figures>(['verify', 'docs']);
    expect(verified).toMatchObject({
      files_checked: second.files,
      chunks_checked: second.contents,
      bytes_checked: second.distinct,
      files_damaged: 0,
    });
    // Each chunk is sealed with an IV and a tag; the list of files comes with it.
    const sealed = second.distinct + second.contents * 28;
    expect(verified['bytes_downloaded']! - sealed).toBeGreaterThan(0);
    expect(verified['bytes_downloaded']! - sealed).toBeLessThan(5_000);
    const packs = stored(join(place.destination, 'packs'));
    const ledgers = stored(join(place.destination, 'ledger'));
    const checked = await place.json(['check', '--read-data']);
    expect(checked).toMatchObject({
      restore_points: 2,
      packs,
      packs_read: packs,
      segments: ledgers.files,
      findings_total: 0,
    });
    expect(await printedBy('check')).toContain(
      `No damage was found: ${packs.files + ledgers.files} files at the destination, 2 restore points.`,
    );
    const { drills } = await place.json<{ drills: readonly Figures[] }>(['drill', 'docs']);
    expect(drills).toMatchObject([
      {
        point_files: second.files,
        point_bytes: second.bytes,
        files_restored: second.files,
        bytes_restored: second.once,
        files_compared: second.files,
        files_same_on_disk: second.files,
      },
    ]);
  });

  test('of restores, of their plans and of an undo', async () => {
    const target = place.path('target');
    const words = ['restore', 'docs', '--to', target];
    expect(await place.json([...words, '--dry-run'])).toMatchObject({
      files_restored: second.files,
      files_new: second.files,
      bytes_written: second.once,
      bytes_needed: second.once,
    });
    const text = await printedBy(...words);
    const restored = count(target);
    expect(restored).toMatchObject({ files: second.files, bytes: second.bytes, once: second.once });
    expect(text).toContain(`Files ${restored.files} files`);
    expect(text).toContain(`Written ${printed(restored.once)}`);
    writeFileSync(join(source, 'new.txt'), 'y'.repeat(12_345));
    rmSync(join(source, 'empty'));
    const back = ['restore', 'docs', '--in-place', '--conflict', 'overwrite'];
    expect(await place.json([...back, '--dry-run'])).toMatchObject({
      files_restored: 2,
      files_unchanged: second.files - 2,
      files_new: 1,
      conflicts: [join(source, 'new.txt')],
      bytes_to_fetch: 12_345,
    });
    const report = await place.json<Figures & { kept_in: readonly string[] }>(back);
    expect(report).toMatchObject({ files_restored: 2, files_unchanged: second.files - 2, bytes_written: 12_345 });
    expect(count(source).all).toEqual(second.all);
    expect(report.kept_in.map((folder) => stored(join(folder, 'source')))).toEqual([{ files: 1, bytes: 12_345 }]);
    const undone = await place.json<{ put_back: number; moved_aside: number; moved_to: readonly string[] }>(['undo']);
    expect(undone).toMatchObject({ put_back: 1, moved_aside: 2 });
    expect(undone.moved_to.map((folder) => stored(join(folder, 'source')))).toEqual([{ files: 2, bytes: 12_345 }]);
  });

  test('of an archive', async () => {
    const file = place.path('docs.tar');
    const text = await printedBy('export', 'docs', '--to', file);
    const script = `
import json, sys, tarfile
members = [m for m in tarfile.open(sys.argv[1]) if m.isreg() or m.islnk()]
print(json.dumps([len(members), sum(m.size for m in members if m.isreg())]))`;
    const [files, bytes] = JSON.parse(execFileSync('python3', ['-c', script, file], { encoding: 'utf8' })) as number[];
    expect([files, bytes]).toEqual([second.files, second.once]);
    expect(text).toContain(`Files ${files} files, ${printed(bytes!)}`);
  });

  test('of a copy, a report and damage', async () => {
    const copy = place.path('second');
    await place.json(['destination', 'add', '--destination', copy, '--name', 'second']);
    const copied = await place.json<Figures>(['destination', 'copy', 'destination', 'second', 'docs']);
    expect(copied).toMatchObject({ points_copied: 2, points_skipped: [], failures: [] });
    const packs = stored(join(copy, 'packs'));
    expect(copied['bytes_copied']).toBeLessThan(packs.bytes);
    expect(copied['bytes_copied']).toBeGreaterThan(packs.bytes - 2_000);
    const report = await place.json<{ destinations: readonly (Figures & { sets: readonly object[] })[] }>(['report']);
    const sent = backups.reduce((sum, each) => sum + each['bytes_uploaded']!, 0);
    expect(report.destinations[0]).toMatchObject({ stored_bytes: sent, grown_bytes: sent });
    expect(report.destinations[0]!.sets).toMatchObject([
      { files: second.files, bytes: second.bytes, bytes_uploaded: sent, runs: { succeeded: 2, failed: 0 } },
    ]);
    const pack = filesBelow(join(copy, 'packs')).find((path) => lstatSync(path).size > 50_000)!;
    const content = readFileSync(pack);
    chmodSync(pack, 0o600);
    writeFileSync(pack, content.fill(0, 20_000, 40_000));
    const { stdout } = await place.run('check', '--destination', 'second', '--read-data', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ findings_total: 1, packs });
  });
});
