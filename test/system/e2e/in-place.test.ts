import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chunkCount, hexDigestAt, sizeAt } from '../../../src/format/chunks/chunk-list.ts';
import { chunkFiles } from '../../../src/archive/chunk/chunk-files.ts';
import { CAN_LINK } from '../../helpers/can-link.ts';
import { slashedText } from '../../helpers/slashed-paths.ts';
import { Workplace } from './workplace.ts';
import { orThorough } from '../../helpers/thorough.ts';

let place: Workplace;
let docs: string;
beforeEach(async () => {
  place = new Workplace();
  docs = place.path('own', 'docs');
  mkdirSync(join(docs, 'letters'), { recursive: true });
  writeFileSync(join(docs, 'letters', 'a.txt'), 'first');
  writeFileSync(join(docs, 'letters', 'b.txt'), 'b');
  writeFileSync(join(docs, 'same.txt'), 'same');
  if (CAN_LINK) symlinkSync('same.txt', join(docs, 'link'));
  await place.setUp();
  await place.addSet('docs', docs);
  await place.json(['backup', 'docs']);
});
afterEach(() => place[Symbol.dispose]());

const MIB = 2 ** 20;

interface Chunk {
  readonly digest: string;
  readonly start: number;
  readonly end: number;
}

function chunksOf(path: string): readonly Chunk[] {
  const { value } = chunkFiles({ paths: [path], offset: 0, limit: Number.MAX_SAFE_INTEGER });
  const list = Buffer.from(value.chunks);
  let end = 0;
  return Array.from({ length: chunkCount(list) }, (_, index) => {
    const start = end;
    end += sizeAt(list, index);
    return { digest: hexDigestAt(list, index), start, end };
  });
}

function seededBytes(seed: string, length: number): Buffer {
  return createHash('shake256', { outputLength: Math.floor(length) })
    .update(seed)
    .digest();
}

function sumOf(chunks: readonly Chunk[]): number {
  return chunks.reduce((sum, { start, end }) => sum + end - start, 0);
}

interface Restored {
  readonly files_restored: number;
  readonly files_skipped: number;
  readonly files_unchanged: number;
  readonly bytes_downloaded: number;
  readonly bytes_to_fetch?: number;
  readonly conflicts: readonly string[];
  readonly conflicts_newer: number;
  readonly kept_in: readonly string[];
  readonly failures: readonly { readonly path: string }[];
}

async function restore(...words: readonly string[]): Promise<Restored> {
  return await place.json<Restored>(['restore', 'docs', '--in-place', ...words]);
}

function kept(...names: readonly string[]): string {
  const [folder, ...more] = readdirSync(place.path('own')).filter((name) => name.startsWith('Before restore '));
  expect(more).toEqual([]);
  return place.path('own', folder!, ...names);
}

describe('a restore to the original place', () => {
  test('takes choices for single files and folders from a file', async () => {
    for (const name of ['letters/a.txt', 'letters/b.txt', 'same.txt']) writeFileSync(join(docs, name), `mine ${name}`);
    const choices = place.path('choices');
    const lines = ['# comment', '', `overwrite ${docs}/letters`, `keep-both ${docs}/letters/b.txt`];
    writeFileSync(choices, lines.join('\n'));
    const words = ['--conflict', 'skip', '--choices', choices];
    const plan = await place.json<{ conflicts_undecided: number; conflict_details: { path: string; kind: string }[] }>([
      'restore',
      'docs',
      '--in-place',
      '--dry-run',
      ...words,
    ]);
    expect(plan.conflicts_undecided).toBe(0);
    expect(plan.conflict_details.map(({ kind }) => kind)).toEqual(['newer', 'newer', 'newer']);
    expect(await restore(...words)).toMatchObject({ files_restored: 2, files_skipped: 1, failures: [] });
    const texts = ['letters/a.txt', 'letters/b.txt', 'same.txt'].map((name) => readFileSync(join(docs, name), 'utf8'));
    expect(texts).toEqual(['first', 'mine letters/b.txt', 'mine same.txt']);
    const beside = readdirSync(join(docs, 'letters')).find((name) => name.startsWith('b (restored '));
    expect(readFileSync(join(docs, 'letters', beside!), 'utf8')).toBe('b');

    const [blank, twice] = [`skip ${docs}/same.txt `, `skip ${docs}\noverwrite ${docs}`];
    for (const [text, message] of [
      [blank, 'ends with a blank'],
      [twice, 'repeats the path'],
    ] as const) {
      writeFileSync(choices, text);
      expect(await place.run('restore', 'docs', '--in-place', ...words)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining(message),
      });
    }
    writeFileSync(choices, 'overwrite\n');
    const refused = await place.run('restore', 'docs', '--in-place', ...words);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain(`Line 1 of ${choices}`);
  });

  test('writes what is gone, and leaves what is there as it is', async () => {
    rmSync(join(docs, 'letters', 'a.txt'));
    if (CAN_LINK) rmSync(join(docs, 'link'));
    const before = statSync(join(docs, 'same.txt'), { bigint: true });
    const report = await restore();
    expect(report).toMatchObject({ files_restored: 1, files_unchanged: 2, conflicts: [], kept_in: [] });
    expect(readFileSync(join(docs, 'letters', 'a.txt'), 'utf8')).toBe('first');
    if (CAN_LINK) expect(readlinkSync(join(docs, 'link'))).toBe('same.txt');
    expect(statSync(join(docs, 'same.txt'), { bigint: true })).toMatchObject({ ctimeNs: before.ctimeNs });
    expect(readdirSync(place.path('own'))).toEqual(['docs']);
  });

  test('creates the folders that led to it', async () => {
    rmSync(place.path('own'), { recursive: true });
    expect(await restore('--path', join(docs, 'letters'))).toMatchObject({ files_restored: 2 });
    expect(readFileSync(join(docs, 'letters', 'b.txt'), 'utf8')).toBe('b');
    expect(existsSync(join(docs, 'same.txt'))).toBe(false);
  });

  test('stops before it writes if a file has other content and no choice is made', async () => {
    writeFileSync(join(docs, 'letters', 'a.txt'), 'other');
    rmSync(join(docs, 'same.txt'));
    const ended = await place.run('restore', 'docs', '--in-place');
    expect(ended.status).toBe(1);
    expect(slashedText(ended.stderr)).toContain(join(docs, 'letters', 'a.txt'));
    expect(ended.stderr).not.toContain('b.txt');
    expect(existsSync(join(docs, 'same.txt'))).toBe(false);
  });

  test('keeps what it replaces in a folder beside', async () => {
    writeFileSync(join(docs, 'letters', 'a.txt'), 'second');
    renameSync(join(docs, 'letters', 'b.txt'), join(docs, 'was b'));
    mkdirSync(join(docs, 'letters', 'b.txt'));
    writeFileSync(join(docs, 'letters', 'b.txt', 'inside'), 'inside');
    if (CAN_LINK) {
      rmSync(join(docs, 'link'));
      symlinkSync('elsewhere', join(docs, 'link'));
    }
    const report = await restore('--conflict', 'overwrite');
    expect(report).toMatchObject({ files_restored: 2, files_unchanged: 1, failures: [] });
    expect(report.kept_in).toEqual([kept()]);
    expect(readFileSync(join(docs, 'letters', 'a.txt'), 'utf8')).toBe('first');
    expect(readFileSync(join(docs, 'letters', 'b.txt'), 'utf8')).toBe('b');
    if (CAN_LINK) expect(readlinkSync(join(docs, 'link'))).toBe('same.txt');
    expect(readFileSync(kept('docs', 'letters', 'a.txt'), 'utf8')).toBe('second');
    expect(readFileSync(kept('docs', 'letters', 'b.txt', 'inside'), 'utf8')).toBe('inside');
    if (CAN_LINK) expect(readlinkSync(kept('docs', 'link'))).toBe('elsewhere');
    expect(readFileSync(join(docs, 'was b'), 'utf8')).toBe('b');
    expect(await restore('--conflict', 'overwrite')).toMatchObject({
      files_restored: 0,
      files_unchanged: 3,
      kept_in: [],
    });
  });

  test('puts the version of the backup beside with keep-both, and nothing with skip', async () => {
    writeFileSync(join(docs, 'letters', 'a.txt'), 'second');
    expect(await restore('--conflict', 'skip')).toMatchObject({
      files_restored: 0,
      files_skipped: 1,
      files_unchanged: 2,
    });
    expect(await restore('--conflict', 'keep-both')).toMatchObject({ files_restored: 1, files_unchanged: 2 });
    const names = readdirSync(join(docs, 'letters'));
    const restored = names.find((name) => name.includes('(restored '))!;
    expect(names).toHaveLength(3);
    expect(readFileSync(join(docs, 'letters', restored), 'utf8')).toBe('first');
    expect(readFileSync(join(docs, 'letters', 'a.txt'), 'utf8')).toBe('second');
  });

  test('finds a file that was damaged without another size or time', async () => {
    const { atime, mtime } = statSync(join(docs, 'same.txt'));
    writeFileSync(join(docs, 'same.txt'), 'sAme');
    utimesSync(join(docs, 'same.txt'), atime, mtime);
    expect(await restore('--conflict', 'overwrite')).toMatchObject({ files_restored: 1, files_unchanged: 2 });
    expect(readFileSync(join(docs, 'same.txt'), 'utf8')).toBe('same');
  });

  test('sets the attributes of an unchanged file only with overwrite', async () => {
    const { mtimeMs, mode } = lstatSync(join(docs, 'same.txt'));
    chmodSync(join(docs, 'same.txt'), 0o444);
    utimesSync(join(docs, 'same.txt'), 1, 1);
    await restore();
    expect(lstatSync(join(docs, 'same.txt')).mtimeMs).toBe(1000);
    expect(await restore('--conflict', 'overwrite')).toMatchObject({ files_unchanged: 3 });
    expect(lstatSync(join(docs, 'same.txt'))).toMatchObject({ mtimeMs, mode });
  });

  test('plans without writing, and counts what is newer here', async () => {
    writeFileSync(join(docs, 'letters', 'a.txt'), 'second');
    writeFileSync(join(docs, 'letters', 'b.txt'), 'older');
    utimesSync(join(docs, 'letters', 'b.txt'), 1, 1);
    rmSync(join(docs, 'same.txt'));
    const report = await restore('--dry-run', '--conflict', 'overwrite');
    expect(report).toMatchObject({
      files_restored: 3,
      files_unchanged: 0,
      conflicts: [join(docs, 'letters', 'a.txt'), join(docs, 'letters', 'b.txt')],
      conflicts_newer: 1,
      bytes_to_fetch: 'first'.length + 'b'.length + 'same'.length,
    });
    expect(existsSync(join(docs, 'same.txt'))).toBe(false);
    expect(readdirSync(place.path('own'))).toEqual(['docs']);
  });

  test('fetches only what the files on disk do not hold', async () => {
    const file = join(docs, 'disk image');
    const content = randomBytes(48 * 2 ** 20);
    writeFileSync(file, content);
    await place.json(['backup', 'docs']);
    const changed = Buffer.from(content);
    randomBytes(2 ** 19).copy(changed, 20 * 2 ** 20);
    writeFileSync(file, changed);
    const plan = await restore('--dry-run', '--conflict', 'overwrite');
    const report = await restore('--conflict', 'overwrite');
    expect(report.bytes_downloaded).toBeGreaterThan(2 ** 19);
    expect(report.bytes_downloaded).toBeLessThan(8 * 2 ** 20);
    expect(plan.bytes_to_fetch).toBeGreaterThan(2 ** 19);
    expect(plan.bytes_to_fetch).toBeLessThan(8 * 2 ** 20);
    expect(readFileSync(file).equals(content)).toBe(true);
    expect(readFileSync(kept('docs', 'disk image')).equals(changed)).toBe(true);
  });

  test('goes on with its choices after it was killed', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `${String(index).padStart(3, '0')}.bin`);
    for (const name of names) writeFileSync(join(docs, name), `first ${name} ${'x'.repeat(20_000)}`);
    await place.json(['backup', 'docs']);
    for (const name of names) writeFileSync(join(docs, name), `mine ${name}`);
    const choices = place.path('choices');
    writeFileSync(
      choices,
      `skip ${docs}/010.bin\nskip ${docs}/290.bin\nkeep-both ${docs}/011.bin\nkeep-both ${docs}/291.bin\n`,
    );
    const words = ['restore', 'docs', '--in-place', '--conflict', 'overwrite', '--choices', choices];
    const { child, ended } = place.start(words);
    const hasBegun = (): boolean => readdirSync(place.path('own')).some((name) => name.startsWith('Before restore '));
    // Polled, since the kill has to come in the middle.
    const timer = setInterval(() => hasBegun() && child.kill('SIGKILL'), 2);
    const { signal } = await ended;
    clearInterval(timer);
    expect(signal).toBe('SIGKILL');
    expect(await place.json<Restored>(words)).toMatchObject({ failures: [], files_skipped: 2 });
    for (const name of names) {
      const isMine = ['010.bin', '290.bin', '011.bin', '291.bin'].includes(name);
      expect(readFileSync(join(docs, name), 'utf8').slice(0, 14)).toMatch(isMine ? /^mine / : /^first /);
    }
    const beside = readdirSync(docs).filter((name) => name.includes('(restored '));
    expect(beside.map((name) => name.slice(0, 4)).toSorted()).toEqual(['011 ', '291 ']);
    for (const name of beside) expect(readFileSync(join(docs, name), 'utf8')).toMatch(/^first /);
    // Every version that was replaced is kept once.
    const folders = readdirSync(place.path('own')).filter((name) => name.startsWith('Before restore '));
    const replaced = folders.flatMap((folder) => readdirSync(place.path('own', folder, 'docs')));
    expect(replaced.filter((name) => name.endsWith('.bin')).toSorted()).toEqual(
      names.filter((name) => !['010.bin', '290.bin', '011.bin', '291.bin'].includes(name)),
    );
  });

  test('fetches the chunks with a change alone, although those behind it are cut in another way', async () => {
    const file = join(docs, 'disk image');
    const content = seededBytes('content', 40 * MIB);
    writeFileSync(file, content);
    await place.json(['backup', 'docs']);
    const before = chunksOf(file);
    // The second change makes the file shorter.
    const changes = [
      { from: 3 * MIB, to: 4 * MIB, by: seededBytes('change 1', MIB) },
      { from: 9 * MIB, to: 10 * MIB, by: seededBytes('change 2', 0.7 * MIB) },
      { from: 15 * MIB, to: 16 * MIB, by: seededBytes('change 3', MIB) },
      { from: 21 * MIB, to: 22 * MIB, by: seededBytes('change 4', MIB) },
      { from: 27 * MIB, to: 28 * MIB, by: seededBytes('change 5', MIB) },
      { from: 33 * MIB, to: 34 * MIB, by: seededBytes('change 6', MIB) },
      { from: 38.5 * MIB, to: 39.5 * MIB, by: seededBytes('change 7', MIB) },
    ];
    const parts = changes.map(({ from, by }, index) => [content.subarray(changes[index - 1]?.to ?? 0, from), by]);
    writeFileSync(file, Buffer.concat([...parts.flat(), content.subarray(changes.at(-1)!.to)]));
    const isChanged = ({ start, end }: Chunk): boolean => changes.some(({ from, to }) => start < to && end > from);
    const expected = sumOf(before.filter(isChanged));
    const cutAgain = new Set(chunksOf(file).map(({ digest }) => digest));
    // Else the test shows nothing.
    expect(sumOf(before.filter(({ digest }) => !cutAgain.has(digest)))).toBeGreaterThan(expected + MIB);
    const plan = await restore('--dry-run', '--conflict', 'overwrite');
    expect(plan.bytes_to_fetch).toBe(expected);
    const report = await restore('--conflict', 'overwrite');
    expect(report.bytes_downloaded).toBeLessThan(expected * 1.01);
    expect(readFileSync(file).equals(content)).toBe(true);
  });

  test('restores a file that was damaged between two runs', async () => {
    const broken = join(docs, 'letters', 'a.txt');
    writeFileSync(broken, randomBytes(200_000));
    // A whole second, which can be set again.
    utimesSync(join(docs, 'same.txt'), 1_700_000_000, 1_700_000_000);
    await place.json(['backup', 'docs']);
    rmSync(join(docs, 'same.txt'));
    rmSync(broken);
    const pack = readdirSync(join(place.destination, 'packs'), { recursive: true, encoding: 'utf8' })
      .map((name) => join(place.destination, 'packs', name))
      .find((path) => statSync(path).size > 200_000)!;
    const bytes = readFileSync(pack);
    chmodSync(pack, 0o600);
    writeFileSync(pack, Buffer.from(bytes).fill(0, 1_000, 150_000));
    await place.json(['restore', 'docs', '--in-place', '--conflict', 'overwrite'], 1);
    writeFileSync(join(docs, 'same.txt'), 'sAme');
    utimesSync(join(docs, 'same.txt'), 1_700_000_000, 1_700_000_000);
    writeFileSync(pack, bytes);
    await restore('--conflict', 'overwrite');
    expect(readFileSync(join(docs, 'same.txt'), 'utf8')).toBe('same');
    expect(readFileSync(kept('docs', 'same.txt'), 'utf8')).toBe('sAme');
  });

  test('puts a file in the place of a folder that is restored alone', async () => {
    const path = join(docs, 'same.txt');
    rmSync(path);
    mkdirSync(path);
    writeFileSync(join(path, 'inside'), 'inside');
    expect(await restore('--path', path, '--conflict', 'overwrite')).toMatchObject({ files_restored: 1, failures: [] });
    expect(readFileSync(path, 'utf8')).toBe('same');
  });

  test('sets no attributes of a file that has another name', async () => {
    linkSync(join(docs, 'same.txt'), place.path('own', 'other name'));
    chmodSync(join(docs, 'same.txt'), 0o444);
    const report = await place.json<Restored>(['restore', 'docs', '--in-place', '--conflict', 'overwrite'], 3);
    expect(report).toMatchObject({ files_unchanged: 3 });
    expect(statSync(place.path('own', 'other name')).mode & 0o777).toBe(0o444);
  });

  test('puts several roots back, each where it was', async () => {
    const photos = place.path('elsewhere', 'deep', 'photos');
    mkdirSync(photos, { recursive: true });
    writeFileSync(join(photos, 'one.jpg'), 'one');
    await place.addSet('both', docs, photos);
    await place.json(['backup', 'both']);
    rmSync(place.path('elsewhere'), { recursive: true });
    writeFileSync(join(docs, 'same.txt'), 'changed');
    const report = await place.json<Restored>(['restore', 'both', '--in-place', '--conflict', 'overwrite']);
    expect(report).toMatchObject({ files_restored: 2, files_unchanged: 2, kept_in: [kept()] });
    expect(readFileSync(join(photos, 'one.jpg'), 'utf8')).toBe('one');
    expect(readFileSync(kept('docs', 'same.txt'), 'utf8')).toBe('changed');
  });

  test('leaves a file as it is if its version cannot be restored', async () => {
    writeFileSync(join(docs, 'letters', 'a.txt'), randomBytes(200_000));
    await place.json(['backup', 'docs']);
    writeFileSync(join(docs, 'letters', 'a.txt'), 'mine');
    writeFileSync(join(docs, 'same.txt'), 'mine, too');
    const packs = readdirSync(join(place.destination, 'packs'), { recursive: true, encoding: 'utf8' })
      .map((name) => join(place.destination, 'packs', name))
      .filter((path) => statSync(path).size > 200_000);
    expect(packs).toHaveLength(1);
    const bytes = readFileSync(packs[0]!);
    chmodSync(packs[0]!, 0o600);
    writeFileSync(packs[0]!, bytes.fill(0, 1_000, 150_000));
    const report = await place.json<Restored>(['restore', 'docs', '--in-place', '--conflict', 'overwrite'], 1);
    expect(report.failures).toMatchObject([{ path: join(docs, 'letters', 'a.txt') }]);
    expect(readFileSync(join(docs, 'letters', 'a.txt'), 'utf8')).toBe('mine');
    expect(readFileSync(join(docs, 'same.txt'), 'utf8')).toBe('same');
    expect(readdirSync(kept('docs'))).toEqual(['same.txt']);
  });

  test('goes on after kills, and keeps every version that it replaced', async () => {
    const names = Array.from({ length: 150 }, (_, index) => `${index}.bin`);
    const versions = ['first', 'second'].map(() => new Map(names.map((name) => [name, randomBytes(30_000)])));
    const write = (version: ReadonlyMap<string, Buffer>): void => {
      for (const [name, content] of version) writeFileSync(join(docs, name), content);
    };
    write(versions[0]!);
    await place.json(['backup', 'docs']);
    write(versions[1]!);
    let kills = 0;
    for (let delay = 250; ; delay *= orThorough(1.4, 1.1)) {
      const { child, ended } = place.start(['restore', 'docs', '--in-place', '--conflict', 'overwrite', '--json']);
      const timer = setTimeout(() => child.kill('SIGKILL'), delay);
      const { status, signal } = await ended;
      clearTimeout(timer);
      if (signal === null) {
        expect(status).toBe(0);
        break;
      }
      kills += 1;
    }
    expect(kills).toBeGreaterThan(0);
    for (const name of names) {
      expect(readFileSync(join(docs, name)).equals(versions[0]!.get(name)!)).toBe(true);
      expect(readFileSync(kept('docs', name)).equals(versions[1]!.get(name)!)).toBe(true);
    }
    expect(readdirSync(docs).filter((name) => name.startsWith('.holdfast'))).toEqual([]);
  });

  test('goes on by downloading if a file changes after it was compared', async () => {
    const file = join(docs, 'disk image');
    const content = randomBytes(8 * 2 ** 20);
    writeFileSync(file, content);
    writeFileSync(join(docs, 'zz'), content.subarray(0, 6 * 2 ** 20));
    await place.json(['backup', 'docs']);
    // The first file has the chunks of the second one when both are compared, and none of them when that is written.
    rmSync(join(docs, 'zz'));
    writeFileSync(file, Buffer.concat([content.subarray(0, 6 * 2 ** 20), randomBytes(2 ** 20)]));
    await restore('--conflict', 'overwrite');
    expect(readFileSync(file).equals(content)).toBe(true);
    expect(readFileSync(join(docs, 'zz')).equals(content.subarray(0, 6 * 2 ** 20))).toBe(true);
  });
});
