import { createHash, createHmac, randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import { Catalog } from '../../../src/catalog/catalog.ts';
import { sealChunk } from '../../../src/format/crypto/blob.ts';
import { ChunkKeys } from '../../../src/format/crypto/chunk-keys.ts';
import { deriveKeys } from '../../../src/format/crypto/keys.ts';
import { PathNames } from '../../../src/format/crypto/path-names.ts';
import { listEntries } from '../../../src/read/list.ts';
import { openTree } from '../../../src/read/source/tree.ts';
import { findRestorePoint } from '../../../src/read/source/restore-point.ts';
import type { VerifiedFooter } from '../../../src/format/tree/record.ts';
import type { PlanStore } from '../../../src/restore/record/plan-store.ts';
import { restoreFiles } from '../../../src/restore/restore.ts';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { TREE_PATH } from '../../../src/protocol/path.ts';
import type { RestoreFileEntry } from '../../../src/protocol/restore.ts';
import { DESTINATION } from '../../helpers/catalog.ts';
import { DEVICE, MASTER, RestoreWorld, SET } from '../../helpers/memory-service/restore-world.ts';

const pool = new WorkerPool(2);
const keys = deriveKeys(MASTER);
let world: RestoreWorld;
beforeEach(() => {
  world = new RestoreWorld(pool);
});
afterEach(() => world[Symbol.dispose]());
afterAll(() => pool.close());

function hashOf(data: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(data).digest('hex')}`;
}

function put(name: string, data: string | Buffer): string {
  const path = join(world.source, name);
  writeFileSync(path, data);
  return path;
}

function restored(name: string): string | undefined {
  const path = join(world.target, 'source', name);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** Leaves this computer with what one has that neither made nor read a restore point. */
function forgetPoints(): void {
  const { history } = world.catalog.at(DESTINATION);
  for (const { backup_id: id } of history.restorePoints(DEVICE, SET)) history.forgetRestorePoint(DEVICE, SET, id);
}

/** Changes one file of the service's answers. */
function answer(path: string, change: (file: RestoreFileEntry) => unknown): void {
  world.service.rewrite = (files) =>
    files.flatMap((file) => (file.path === path ? [change(file)] : [file])).filter(Boolean) as RestoreFileEntry[];
}

const suspicious = (path: string) => ({ path, reason: 'service_answer_suspicious' });

function treeEntry(): RestoreFileEntry {
  return world.service.points[0]!.files.find((file) => file.path === TREE_PATH)!;
}

async function footer(): Promise<VerifiedFooter> {
  const source = { deviceId: DEVICE, backupSet: SET, at: 'latest' } as const;
  return (await openTree(source, await findRestorePoint(source, world.dependencies), world.dependencies)).footer;
}

const source = { deviceId: DEVICE, backupSet: SET, at: 'latest' } as const;

async function listed(path: string, recursive: boolean): Promise<string[]> {
  const paths: string[] = [];
  for await (const batch of listEntries({ source, path, recursive }, world.dependencies)) {
    paths.push(...batch.map((entry) => entry.path));
  }
  return paths;
}

describe('restore when the service answers wrongly', () => {
  const wrong: readonly (readonly [string, (file: RestoreFileEntry) => unknown])[] = [
    ['the chunks of another file', (file) => ({ ...file, chunks: [hashOf('bbbb')] })],
    ['no chunks', (file) => ({ ...file, chunks: [] })],
    ['its chunk twice', (file) => ({ ...file, chunks: [...file.chunks, ...file.chunks] })],
    ['another size', (file) => ({ ...file, size: 5 })],
    ['another time', (file) => ({ ...file, modified: '2020-01-01T00:00:00.000Z' })],
    ['nothing', () => undefined],
    ['a path that is not one', (file) => ({ ...file, path: `${file.path}/..` })],
    ['a size that is not one', (file) => ({ ...file, size: -1 })],
    ['a chunk that is not one', (file) => ({ ...file, chunks: ['sha256:xx'] })],
    ['a time that is not one', (file) => ({ ...file, modified: 'yesterday' })],
  ];

  test.each(wrong)('restores one file when the answer has %s for it', async (_, change) => {
    const one = put('one', 'aaaa');
    put('two', 'bbbb');
    await world.backup();
    answer(one, change);
    const report = await world.restore({ paths: [one] });
    expect(readFileSync(join(world.target, 'one'), 'utf8')).toBe('aaaa');
    expect(report).toMatchObject({ filesRestored: 1, failures: [] });
    expect(report.warnings).toContainEqual(suspicious(one));
  });

  test.each(wrong)('restores everything when the answer has %s for one file', async (_, change) => {
    for (const isSealed of [false, true]) {
      const one = put('one', 'aaaa');
      put('two', 'bbbb');
      await world.backup({ privateNames: isSealed });
      answer(isSealed ? new PathNames(keys.path).sealPath(one) : one, change);
      const report = await world.restore({ conflict: 'overwrite' });
      expect([restored('one'), restored('two')]).toEqual(['aaaa', 'bbbb']);
      expect(report).toMatchObject({ filesRestored: 2, failures: [] });
      expect(report.warnings).toContainEqual(suspicious(one));
      const others = report.warnings.filter(({ path }) => path !== one && path !== TREE_PATH);
      expect(others).toEqual([]);
      expect((await world.verify()).warnings).toContainEqual(suspicious(one));
      world.service.rewrite = undefined;
    }
  });

  test.each([
    ['null', null],
    ['text', 'text'],
    ['a list', []],
    ['an entry without a path', { size: 1, modified: '2020-01-01T00:00:00Z', chunks: [] }],
  ])('restores everything when an element is %s', async (_, element) => {
    put('one', 'aaaa');
    await world.backup();
    world.service.malformed = [element];
    const report = await world.restore();
    expect(report).toMatchObject({ filesRestored: 1, failures: [], warnings: [suspicious(TREE_PATH)] });
  });

  test.each([false, true])('does not restore an added file (private names: %s)', async (privateNames) => {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) put(name, name);
    await world.backup({ privateNames });
    const path = join(world.source, 'planted');
    const sent = privateNames ? new PathNames(keys.path).sealPath(path) : path;
    const { modified } = treeEntry();
    world.service.rewrite = (files) => [...files, { path: sent, size: 1, modified, chunks: [hashOf('a')] }];
    const report = await world.restore();
    expect(report).toMatchObject({ filesRestored: 6, failures: [], warnings: [suspicious(path)] });
    expect(restored('planted')).toBeUndefined();
  });

  test('names an entry with a name that does not open', async () => {
    put('one', 'aaaa');
    await world.backup({ privateNames: true });
    world.service.rewrite = (files) => [...files, { ...files[0]!, path: '/not/sealed' }];
    expect(await world.restore()).toMatchObject({
      filesRestored: 1,
      failures: [],
      warnings: [suspicious('/not/sealed')],
    });
  });

  test('accepts files in a different order', async () => {
    for (const name of ['a', 'b', 'c']) put(name, name);
    for (const privateNames of [false, true]) {
      await world.backup({ privateNames });
      world.service.rewrite = (files) => files.toReversed();
      const report = await world.restore({ to: join(world.folder, `reversed ${privateNames}`) });
      expect(report).toMatchObject({ failures: [], warnings: [], filesRestored: 3 });
    }
  });

  test('names at most 1,000 files', async () => {
    for (let index = 0; index < 1100; index += 1) put(`file ${index}`, `${index % 7}`);
    await world.backup();
    world.service.rewrite = (files) => files.filter((file) => file.path.startsWith('/.holdfast'));
    const report = await world.restore();
    expect(report).toMatchObject({ filesRestored: 1100, failures: [] });
    expect(report.warnings).toHaveLength(1000);
  });
});

describe('restore from a destination without manifests', () => {
  test('requests the reserved entries only, and no more of the tree than its footer there', async () => {
    const one = put('one', 'aaaa');
    put('two', 'bbbb');
    await world.backup();
    world.service.manifests = 'none';
    world.service.requests.length = 0;
    answer(TREE_PATH, (file) => ({ ...file, chunks: file.chunks.slice(-1) }));
    expect(await world.restore()).toMatchObject({ filesRestored: 2, failures: [], warnings: [] });
    expect(await world.restore({ paths: [one], to: join(world.folder, 'part') })).toMatchObject({ filesRestored: 1 });
    expect(await world.verify()).toMatchObject({ filesChecked: 2, failures: [], warnings: [] });
    expect(new Set(world.service.requests)).toEqual(new Set(['/.holdfast']));
  });

  test('warns when the list of chunks is not that of the footer', async () => {
    for (let index = 0; index < 600; index += 1) put(`${'n'.repeat(200)} ${index}`, '');
    await world.backup();
    const { chunks } = treeEntry();
    expect(chunks.length).toBeGreaterThan(3);
    answer(TREE_PATH, (file) => ({ ...file, chunks: [chunks[1]!, chunks[0]!, ...chunks.slice(2)] }));
    expect(await world.restore()).toMatchObject({
      filesRestored: 600,
      failures: [],
      warnings: [suspicious(TREE_PATH)],
    });
  });
});

describe('restore of a part', () => {
  const FOLDERS = 30;
  const FILES = 60;
  const nameOf = (index: number): string => `${String(index).padStart(3, '0')} ${'n'.repeat(150)}`;

  beforeEach(async () => {
    for (let folder = 0; folder < FOLDERS; folder += 1) {
      mkdirSync(join(world.source, nameOf(folder)));
      for (let file = 0; file < FILES; file += 1) put(join(nameOf(folder), nameOf(file)), '');
    }
    await world.backup();
    world.service.downloads.length = 0;
  });

  const pieceHashes = (): ReadonlySet<string> => new Set(treeEntry().chunks.slice(0, -1));
  const fetchedPieces = (): number => {
    const all = pieceHashes();
    return new Set(world.service.downloads.filter((hash) => all.has(hash))).size;
  };

  test('reads only the pieces of the tree that can contain it', async () => {
    expect(pieceHashes().size).toBeGreaterThan(15);
    const folder = join(world.source, nameOf(17));
    expect(await world.restore({ paths: [folder] })).toMatchObject({
      filesRestored: FILES,
      failures: [],
      warnings: [],
    });
    expect(readdirSync(join(world.target, nameOf(17)))).toHaveLength(FILES);
    expect(fetchedPieces()).toBeLessThan(5);
  });

  test('lists a folder from the pieces that have its own entries', async () => {
    const folder = join(world.source, nameOf(17));
    expect(await listed(folder, false)).toHaveLength(FILES);
    expect(fetchedPieces()).toBeLessThan(5);
    expect(await listed(world.source, false)).toHaveLength(FOLDERS);
    expect(await listed(world.source, true)).toHaveLength(FOLDERS * (FILES + 1));
  });

  test('names what is near a missing path', async () => {
    const folder = join(world.source, nameOf(17));
    const path = join(folder, 'none/at/all');
    // Which names are read depends on where the tree was cut, which follows from the random key of the home.
    const all = Array.from({ length: FILES }, (_, index) => nameOf(index));
    const named = async (failing: Promise<unknown>): Promise<readonly string[]> => {
      const failure: unknown = await failing.catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'path_not_found', details: { path, parent: folder } });
      return failure instanceof HoldfastError ? (failure.details.names as readonly string[]) : [];
    };
    const names = await named(world.restore({ paths: [path] }));
    expect(names.length).toBeGreaterThan(0);
    expect(names.length).toBeLessThanOrEqual(5);
    expect(names).toEqual(all.filter((name) => names.includes(name)));
    expect(await named(listed(path, false))).toEqual(names);
    expect(fetchedPieces()).toBeLessThan(8);
    const other = { path: '/zzz/none', parent: undefined, names: [] };
    await expect(world.restore({ paths: ['/zzz/none'] })).rejects.toMatchObject({ details: other });
  });

  test('gives the entries of several paths their own restore sessions', async () => {
    const paths = [join(world.source, nameOf(20)), join(world.source, nameOf(3))];
    put(join(nameOf(3), 'with data'), 'data');
    put(join(nameOf(20), 'with data'), 'other data');
    await world.backup();
    const sessions = new Map<string, string>();
    const { service } = world;
    const download = service.download.bind(service);
    service.download = (session, hashes, onBlob, signal) => {
      for (const hash of hashes) sessions.set(hash, session);
      return download(session, hashes, onBlob, signal);
    };
    await world.restore({ paths });
    expect(sessions.get(hashOf('other data'))).toBe(`restore-${paths[0]!}`);
    expect(sessions.get(hashOf('data'))).toBe(`restore-${paths[1]!}`);
  });

  test('restores what the other pieces list when one cannot be read', async () => {
    const { pieces } = await footer();
    // The first of these pieces that begins with a file, whose own path nothing else lists. The cuts follow from a random key.
    const index = pieces.findIndex(({ firstPath }, at) => at >= 5 && dirname(firstPath) !== world.source);
    const damaged = treeEntry().chunks[index]!;
    world.service.tamper = (hash, bytes) => (hash === damaged ? undefined : bytes);
    const lost = pieces[index]!;
    const report = await world.restore();
    const failure = { chunk: damaged, reason: 'chunk_missing', detail: `from ${lost.firstPath}` };
    expect(report.failures).toEqual([{ path: TREE_PATH, ...failure }]);
    const counted = await world.verify();
    expect(counted.failures).toEqual([{ path: TREE_PATH, ...failure }]);
    expect(report.filesRestored).toBeGreaterThan(FOLDERS * FILES - lost.records - 1);
    expect(report.filesRestored).toBeLessThan(FOLDERS * FILES);
    const part = await world.restore({ paths: [lost.firstPath], to: join(world.folder, 'part') });
    expect(part.failures).toContainEqual({ path: lost.firstPath, chunk: damaged, reason: 'chunk_missing' });
    const fine = await world.restore({ paths: [join(world.source, nameOf(25))], to: join(world.folder, 'fine') });
    expect(fine).toMatchObject({ failures: [], filesRestored: FILES });
  });
});

describe('restore of a point whose tree is missing or unreadable', () => {
  const missing = (): void => answer(TREE_PATH, () => undefined);

  test('is refused when there is no tree', async () => {
    put('one', 'aaaa');
    await world.backup();
    missing();
    await expect(world.restore()).rejects.toMatchObject({ code: 'tree_invalid', details: { reason: 'missing' } });
    expect(existsSync(world.target)).toBe(false);
    await expect(world.restore({ dryRun: true })).rejects.toMatchObject({ code: 'tree_invalid' });
    expect((await world.verify()).failures).toContainEqual({
      path: TREE_PATH,
      chunk: undefined,
      reason: 'tree_invalid',
      detail: 'missing',
    });
  });

  test.each([
    ['altered', 'chunk_tampered', (blob: Uint8Array) => blob.map((byte, index) => (index === 20 ? byte ^ 1 : byte))],
    ['gone', 'chunk_missing', () => undefined],
  ] as const)('is refused when its footer is %s', async (_, code, damage) => {
    put('one', 'aaaa');
    await world.backup();
    const last = treeEntry().chunks.at(-1)!;
    world.service.tamper = (hash, bytes) => (hash === last ? damage(bytes!) : bytes);
    await expect(world.restore()).rejects.toMatchObject({ code });
    const report = await world.restore({ acceptUnverified: true });
    expect(report).toMatchObject({ filesRestored: 1, failures: [{ path: TREE_PATH, chunk: last, reason: code }] });
    expect(report.warnings).toContainEqual({ path: join(world.source, 'one'), reason: 'unverified' });
    expect(restored('one')).toBe('aaaa');
  });

  test('names every file that nothing proves, and every malformed element', async () => {
    const one = put('one', 'aaaa');
    const two = put('two', 'bbbb');
    await world.backup();
    missing();
    const report = await world.restore({ acceptUnverified: true });
    expect(report).toMatchObject({ filesRestored: 2, failures: [] });
    expect(report.warnings).toEqual([
      { path: TREE_PATH, reason: 'no-tree' },
      { path: one, reason: 'unverified' },
      { path: two, reason: 'unverified' },
    ]);
    world.service.rewrite = (files) =>
      files.flatMap((file): RestoreFileEntry[] => {
        if (file.path === TREE_PATH) return [];
        return file.path === two ? [{ ...file, size: -1 }] : [file];
      });
    const other = await world.restore({ acceptUnverified: true, to: join(world.folder, 'other') });
    expect(other).toMatchObject({ filesRestored: 1, failures: [{ path: two, reason: 'service_broken' }] });
  });

  test.each([
    ['small', 'aaaa'],
    ['large', 'a'.repeat(5 * 2 ** 20)],
  ])('does not put a %s file in place whose chunks have another size, and a verification names it', async (_, data) => {
    const one = put('one', data);
    put('two', 'bbbb');
    await world.backup();
    world.service.rewrite = (files) =>
      files.flatMap((file) => {
        if (file.path === TREE_PATH) return [];
        return file.path === one ? [{ ...file, size: file.size + 1 }] : [file];
      });
    const failure = { path: one, reason: 'file_size_mismatch' };
    expect((await world.verify()).failures).toContainEqual(expect.objectContaining(failure));
    const report = await world.restore({ acceptUnverified: true });
    expect(report).toMatchObject({ filesRestored: 1, failures: [failure] });
    expect([restored('one'), restored('two')]).toEqual([undefined, 'bbbb']);
  });

  test('does not put a large file in place whose parts have other sizes than its tree says, although their sum is right', async () => {
    const one = put('one', randomBytes(20 * 2 ** 20));
    await world.backup();
    const source = { deviceId: DEVICE, backupSet: SET, at: 'latest' } as const;
    const swapped = (sizes: Buffer): Buffer => {
      const changed = Buffer.from(sizes);
      changed.writeUInt32BE(sizes.readUInt32BE(0) + 1, 0);
      const middle = (sizes.length >> 3) * 4;
      changed.writeUInt32BE(sizes.readUInt32BE(middle) - 1, middle);
      return changed;
    };
    const planned = ({ database }: PlanStore): void => {
      const sizes = database.prepare<[], Buffer>('SELECT sizes FROM content').pluck().get()!;
      database.prepare('UPDATE content SET sizes = ?').run(swapped(sizes));
    };
    const request = { source, paths: [], to: world.target, sourceRoots: [] };
    const report = await restoreFiles(request, world.dependencies, {}, { planned });
    expect(report).toMatchObject({ filesRestored: 0, failures: [{ path: one, reason: 'file_size_mismatch' }] });
    expect(restored('one')).toBeUndefined();
  });

  test('never replaces an existing file', async () => {
    const one = put('one', 'aaaa');
    // Whole milliseconds: with a manifest's time, what the first run wrote looks complete.
    utimesSync(put('two', 'bbbb'), 1_700_000_000, 1_700_000_000);
    await world.backup();
    mkdirSync(join(world.target, 'source'), { recursive: true });
    writeFileSync(join(world.target, 'source', 'one'), 'older');
    missing();
    const report = await world.restore({ acceptUnverified: true, conflict: 'overwrite' });
    expect(report.failures).toEqual([{ path: one, chunk: undefined, reason: 'tree_invalid', detail: 'unproven' }]);
    expect([restored('one'), restored('two')]).toEqual(['older', 'bbbb']);
    expect(report.warnings.map(({ path }) => path)).not.toContain(one);
    world.service.rewrite = undefined;
    expect(await world.restore({ conflict: 'overwrite' })).toMatchObject({ failures: [], filesResumed: 0 });
    expect(restored('one')).toBe('aaaa');
  });
});

describe('an authentic tree of another run', () => {
  const expectContent = async (report: Promise<unknown>, warnings: unknown, content: string): Promise<void> => {
    expect(await report).toMatchObject({ failures: [], warnings });
    expect(restored('one')).toBe(content);
  };

  beforeEach(async () => {
    for (const content of ['aaaa', 'bbbb', 'cccc']) {
      put('one', content);
      await world.backup();
      world.service.time += 3_600_000;
    }
    mkdirSync(join(world.target, 'source'), { recursive: true });
    writeFileSync(join(world.target, 'source', 'one'), 'before');
  });

  test('replaces files as the newest one with a warning, which a dry run has first', async () => {
    world.service.points = world.service.points.slice(1);
    const request = { conflict: 'overwrite' } as const;
    await expectContent(world.restore({ ...request, dryRun: true }), [suspicious(TREE_PATH)], 'before');
    await expectContent(world.restore(request), [suspicious(TREE_PATH)], 'bbbb');
  });

  test('is noticed in the place of a later one that is not the newest, by the computer that made both', async () => {
    const [third, second, first] = world.service.points;
    world.service.points = [third!, { ...second!, files: first!.files }, first!];
    const request = { conflict: 'overwrite', source: { at: second!.time } } as const;
    await expectContent(world.restore({ ...request, dryRun: true }), [suspicious(TREE_PATH)], 'before');
    await expectContent(world.restore(request), [suspicious(TREE_PATH)], 'aaaa');
  });

  // How much earlier a run began than its restore point is not limited.
  test('passes there for a computer that knows neither', async () => {
    const [third, second, first] = world.service.points;
    world.service.points = [third!, { ...second!, files: first!.files }, first!];
    forgetPoints();
    const request = { conflict: 'overwrite', source: { at: second!.time } } as const;
    await expectContent(world.restore(request), [], 'aaaa');
  });
});

describe('the tree of another set', () => {
  test('is refused by a restore and by the next backup', async () => {
    put('one', 'aaaa');
    await world.backup({ name: 'other' });
    world.service.points = world.service.points.map((point) => Object.assign({}, point, { set: SET }));
    const failure = { code: 'tree_invalid', details: { reason: 'other-set', deviceId: DEVICE, set: 'other' } };
    await expect(world.restore()).rejects.toMatchObject(failure);
    await expect(world.backup()).rejects.toMatchObject(failure);
  });
});

describe('the time of a tree', () => {
  /** Replaces the newest point's footer by a signed one with other fields. */
  function resign(fields: Record<string, unknown>, old: VerifiedFooter): void {
    const body = JSON.stringify({
      version: 1,
      created: old.created,
      roots: old.roots,
      epoch: 1,
      warnings: [],
      warnings_total: 0,
      device: old.deviceId,
      set: old.backupSet,
      private_names: old.privateNames,
      sequence: old.sequence,
      previous: old.previousTree,
      pieces: old.pieces.map(({ chunks, records, firstPath }) => [chunks.toString('base64'), records, firstPath]),
      ...fields,
    });
    const mac = createHmac('sha256', keys.tree[0].key).update(`holdfast/v1/tree-footer\n${body}`).digest('hex');
    const plaintext = zstdCompressSync(Buffer.from(`{"footer":${body},"mac":"${mac}"}\n`));
    const hash = hashOf(plaintext);
    const digest = Buffer.from(hash.slice('sha256:'.length), 'hex');
    world.service.blobs.set(hash, sealChunk(new ChunkKeys(keys.chunk).keyOf(digest), plaintext));
    answer(TREE_PATH, (file) => ({ ...file, chunks: [...file.chunks.slice(0, -1), hash] }));
  }

  test('rises with every backup, also when the clock is set back', async () => {
    put('one', 'aaaa');
    await world.backup();
    const first = await footer();
    world.service.time -= 30 * 60_000;
    world.service.points = world.service.points.map((point) => ({ ...point, time: point.time - 24 * 3_600_000 }));
    world.service.time -= 48 * 3_600_000;
    await world.backup();
    const second = await footer();
    expect(second.sequence).toBe(2);
    expect(second.created).toBe(first.created + 1);
  });

  test.each([
    ['as it was', {}, []],
    ['a minute after its restore point', { created: 3_660_000 }, []],
    ['later than that', { created: 3_660_001 }, [suspicious(TREE_PATH)]],
  ])('is compared with the restore point: %s', async (_, { created }: { created?: number }, warnings) => {
    put('one', 'aaaa');
    const begun = world.service.time;
    await world.backup();
    const old = await footer();
    expect(old.created).toBe(begun);
    // A computer that has seen nothing.
    using other = new RestoreWorld(pool);
    resign(created === undefined ? {} : { created: begun + created }, old);
    const report = await other.restore({}, { dependencies: { service: world.service, downloader: world.service } });
    expect(report).toMatchObject({ filesRestored: 1, failures: [], warnings });
  });

  test('is compared with the requested time', async () => {
    put('one', 'aaaa');
    await world.backup();
    const old = await footer();
    const at = world.service.time;
    const honest = world.service.restoreManifest.bind(world.service);
    world.service.restoreManifest = async (request, onFiles) => ({
      ...(await honest(request, onFiles)),
      point_in_time: new Date(at + 86_400_000).toISOString(),
    });
    // A computer that has seen nothing.
    using other = new RestoreWorld(pool);
    const dependencies = { service: world.service, downloader: world.service };
    for (const [created, warnings] of [
      [at + 60_000, []],
      [at + 60_001, [suspicious(TREE_PATH)]],
    ] as const) {
      resign({ created }, old);
      const report = await other.restore({ source: { at }, dryRun: true }, { dependencies });
      expect(report.warnings).toEqual(warnings);
    }
  });

  test('is not held against a backup after which a power loss took what was seen', async () => {
    put('one', 'aaaa');
    await world.backup();
    const first = await footer();
    const catalog = join(world.folder, 'catalog.sqlite');
    world.catalog.close();
    copyFileSync(catalog, `${catalog}.before`);
    world.catalog = new Catalog(catalog);
    put('one', 'bbbb');
    await world.backup();
    const lost = world.service.points[0]!;
    world.catalog.close();
    copyFileSync(`${catalog}.before`, catalog);
    world.catalog = new Catalog(catalog);
    put('one', 'cccc');
    world.service.time += 60_000;
    await world.backup();
    const newest = await footer();
    expect([first.sequence, newest.sequence, newest.previousTree]).toEqual([1, 2, first.treeHash]);
    const at = lost.time;
    expect(await world.restore({ source: { at }, dryRun: true })).toMatchObject({ warnings: [] });
    // It is still not the newest one.
    world.service.points = world.service.points.filter((point) => point.time <= at);
    expect((await world.restore({ dryRun: true })).warnings).toEqual([suspicious(TREE_PATH)]);
  });

  test('may be any in a tree outside of the chain, which is never the newest', async () => {
    put('one', 'aaaa');
    await world.backup();
    const old = await footer();
    const at = world.service.time;
    expect((await world.restore({ dryRun: true })).warnings).toEqual([]);
    forgetPoints();
    for (const created of [old.created - 1, old.created + 1]) {
      resign({ sequence: 0, previous: undefined, created }, old);
      expect((await world.restore({ source: { at }, dryRun: true })).warnings).toEqual([]);
      expect((await world.restore({ dryRun: true })).warnings).toEqual([suspicious(TREE_PATH)]);
    }
  });

  test('is compared with the trees that were seen', async () => {
    put('one', 'aaaa');
    await world.backup();
    const old = await footer();
    expect((await world.restore({ dryRun: true })).warnings).toEqual([]);
    forgetPoints();
    // A later number with an earlier time.
    resign({ sequence: old.sequence + 5, created: old.created - 1, previous: 'cd'.repeat(32) }, old);
    expect((await world.restore({ dryRun: true })).warnings).toEqual([suspicious(TREE_PATH)]);
    resign({ sequence: old.sequence + 5, created: old.created + 1, previous: 'cd'.repeat(32) }, old);
    expect((await world.restore({ dryRun: true })).warnings).toEqual([]);
  });
});
