import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Catalog } from '../../../src/catalog/catalog.ts';
import { createEnvelope } from '../../../src/format/crypto/key-envelope.ts';
import { deriveKeys } from '../../../src/format/crypto/keys.ts';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { DESTINATION } from '../../helpers/catalog.ts';
import { DEVICE, RestoreWorld, SET } from '../../helpers/memory-service/restore-world.ts';

const pool = new WorkerPool(2);
let world: RestoreWorld;
beforeEach(() => {
  world = new RestoreWorld(pool);
});
afterEach(() => world[Symbol.dispose]());
afterAll(() => pool.close());

function hashOf(data: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(data).digest('hex')}`;
}

function flipped(bytes: Uint8Array, position: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[position]! ^= 1;
  return copy;
}

/** Seals different content under the key of a chunk, with Node's own HKDF and cipher. */
function sealedElse(hash: string, plaintext: Uint8Array): Uint8Array {
  const digest = Buffer.from(hash.slice('sha256:'.length), 'hex');
  const { chunk } = deriveKeys(Buffer.alloc(32, 7));
  // HKDF-Expand of one block is one HMAC.
  const key = createHmac('sha256', chunk[0].key).update(digest).update(Buffer.of(1)).digest();
  const iv = Buffer.concat([Buffer.of(0, 0, 1), randomBytes(9)]);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  return Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

function seeded(size: number, seed: number): Buffer {
  const cipher = createCipheriv('aes-256-ctr', Buffer.alloc(32, seed), Buffer.alloc(16));
  return cipher.update(Buffer.alloc(size));
}

function put(name: string, data: string | Uint8Array): string {
  const path = join(world.source, name);
  writeFileSync(path, data);
  return path;
}

function restored(name: string): Buffer {
  return readFileSync(join(world.target, 'source', name));
}

describe('restore of damaged chunks', () => {
  const good = 'good data';
  const bad = 'the chunk that gets damaged';

  test.each([
    ['a bit of the IV', 'chunk_tampered', (blob: Uint8Array) => flipped(blob, 0)],
    ['a bit of the data', 'chunk_tampered', (blob: Uint8Array) => flipped(blob, 20)],
    ['a bit of the tag', 'chunk_tampered', (blob: Uint8Array) => flipped(blob, blob.length - 1)],
    ['a cut', 'chunk_tampered', (blob: Uint8Array) => blob.slice(0, -1)],
    ['nothing but a tag', 'chunk_tampered', () => new Uint8Array(28)],
    ['no bytes', 'chunk_tampered', () => new Uint8Array()],
    ['other data under the right key', 'chunk_corrupt', () => sealedElse(hashOf(bad), Buffer.from('something else'))],
    ['no blob', 'chunk_missing', () => undefined],
  ] as const)('%s is tried three times, then named: %s', async (_name, reason, damage) => {
    const path = put('bad', bad);
    put('good', good);
    await world.backup();
    world.service.tamper = (hash, bytes) => (hash === hashOf(bad) ? damage(bytes!) : bytes);
    const report = await world.restore();
    expect(report.failures).toEqual([{ path, chunk: hashOf(bad), reason, detail: undefined }]);
    expect(report).toMatchObject({ filesRestored: 1, failuresTotal: 1 });
    expect(world.service.downloads.filter((hash) => hash === hashOf(bad))).toHaveLength(3);
    expect(readdirSync(join(world.target, 'source'))).toEqual(['good']);
    expect(restored('good').toString()).toBe(good);
    expect(await world.verify()).toMatchObject({ filesChecked: 1, failures: [{ path, chunk: hashOf(bad), reason }] });
  });

  test('succeeds when a retry or a later restore gets good chunks', async () => {
    put('bad', bad);
    await world.backup();
    world.service.tamper = (hash, bytes, count) => (hash === hashOf(bad) && count < 3 ? flipped(bytes!, 15) : bytes);
    expect(await world.restore()).toMatchObject({ failures: [], filesRestored: 1 });
    expect(restored('bad').toString()).toBe(bad);
    expect(world.clock.slept).toEqual([500, 2000]);
  });

  test('fails only a large file, and removes its parts, when its chunk remains damaged', async () => {
    const large = seeded(12 * 2 ** 20, 1);
    const path = put('large', large);
    put('small', good);
    await world.backup();
    const [victim] = world.service.points[0]!.files.find((file) => file.path === path)!.chunks.slice(3);
    world.service.tamper = (hash, bytes) => (hash === victim ? flipped(bytes!, 100) : bytes);
    const report = await world.restore();
    expect(report.failures).toEqual([{ path, chunk: victim, reason: 'chunk_tampered', detail: undefined }]);
    expect(readdirSync(join(world.target, 'source'))).toEqual(['small']);
    world.service.tamper = undefined;
    const again = await world.restore();
    expect(again).toMatchObject({ failures: [], filesRestored: 2, filesResumed: 1 });
    expect(restored('large').equals(large)).toBe(true);
  });

  test.each([
    ['too short', (blob: Uint8Array) => blob.slice(0, -1000)],
    ['too long', (blob: Uint8Array) => Buffer.concat([blob, Buffer.alloc(5000)])],
    ['of the right length', (blob: Uint8Array) => flipped(blob, 50)],
    ['absent', () => undefined],
  ])('writes a large file correctly when a chunk is at first %s', async (_name, damage) => {
    const large = seeded(12 * 2 ** 20, 2);
    const path = put('large', large);
    await world.backup();
    const [victim] = world.service.points[0]!.files.find((file) => file.path === path)!.chunks.slice(3);
    world.service.tamper = (hash, bytes, count) => (hash === victim && count === 1 ? damage(bytes!) : bytes);
    expect(await world.restore()).toMatchObject({ failures: [], filesRestored: 1 });
    expect(restored('large').equals(large)).toBe(true);
  });
});

describe('verification of the key envelope', () => {
  const path = '/.holdfast/keys';

  test('reports an unreadable envelope, since a passphrase would open nothing on a new computer', async () => {
    put('a', 'x');
    await world.backup();
    const [chunk] = world.service.points[0]!.files.find((file) => file.path === path)!.chunks;
    world.service.tamper = (hash, bytes) => (hash === chunk ? flipped(bytes!, 40) : bytes);
    expect((await world.verify()).failures).toEqual([{ path, chunk, reason: 'chunk_tampered', detail: undefined }]);
    world.service.tamper = (hash, bytes) => (hash === chunk ? undefined : bytes);
    expect((await world.verify()).failures).toEqual([{ path, chunk, reason: 'chunk_missing', detail: undefined }]);
    world.service.tamper = undefined;
    expect((await world.verify()).failures).toEqual([]);
  });

  test('reports an envelope that is missing or belongs to a different key', async () => {
    put('a', 'x');
    await world.backup();
    world.service.rewrite = (files) => files.filter((file) => file.path !== path);
    const missing = { path, chunk: undefined, reason: 'tree_invalid', detail: 'entry-missing' };
    expect((await world.verify()).failures).toEqual([missing]);
    world.service.rewrite = undefined;
    await world.backup({}, { keyEnvelope: await createEnvelope(Buffer.alloc(32, 8)) });
    expect((await world.verify()).failures).toMatchObject([{ path, reason: 'tree_invalid', detail: 'other-key' }]);
  });
});

describe('restore of an older point', () => {
  test('warns when the restore point is older than the latest that was seen', async () => {
    put('one', 'aaaa');
    await world.backup();
    put('one', 'bbbb');
    await world.backup();
    await world.restore();
    world.service.points = world.service.points.slice(1);
    const report = await world.restore({ to: join(world.folder, 'older') });
    expect(report.warnings).toEqual([{ path: '/.holdfast/tree', reason: 'service_answer_suspicious' }]);
    expect(report.failures).toEqual([]);
  });
});

describe('two trees of one number, since a power cut took what the computer had seen', () => {
  let computer: Catalog;
  let times: readonly number[];
  const suspicious = [{ path: '/.holdfast/tree', reason: 'service_answer_suspicious' }];

  /** Backs up three times; a power cut undoes what the computer has stored of the run before the last one. */
  async function backUpWithPowerCut(before: readonly string[]): Promise<void> {
    const file = join(world.folder, 'catalog.sqlite');
    for (const content of before) {
      put('one', content);
      await world.backup();
    }
    world.catalog.close();
    copyFileSync(file, `${file}-before`);
    world.catalog = new Catalog(file);
    put('one', 'second');
    await world.backup();
    world.catalog.close();
    copyFileSync(`${file}-before`, file);
    world.catalog = new Catalog(file);
    put('one', 'third');
    await world.backup();
    times = world.service.points.map(({ time }) => time).toSorted((a, b) => a - b);
    computer = world.catalog;
    world.catalog = new Catalog(join(world.folder, 'new-computer.sqlite'));
  }
  // Before the folder is removed: Windows removes no file that is open.
  afterEach(() => computer.close());

  async function warningsAt(at: number | 'latest'): Promise<unknown> {
    return (await world.restore({ source: { at }, to: mkdtempSync(join(world.folder, 'to-')) })).warnings;
  }

  test('are no reason to warn a new computer that restores both, the older first', async () => {
    await backUpWithPowerCut(['first']);
    for (const at of [...times, 'latest' as const]) expect(await warningsAt(at)).toEqual([]);
    put('one', 'fourth');
    world.catalog.close();
    world.catalog = computer;
    await world.backup();
    world.catalog = new Catalog(join(world.folder, 'new-computer.sqlite'));
    expect(await warningsAt('latest')).toEqual([]);
  });

  test('are no reason to warn when they are the first ones', async () => {
    await backUpWithPowerCut([]);
    for (const at of times) expect(await warningsAt(at)).toEqual([]);
  });

  test('are one when the older is served as the newest', async () => {
    await backUpWithPowerCut(['first']);
    await warningsAt('latest');
    world.service.points = world.service.points.filter(({ time }) => time !== times.at(-1));
    expect(await warningsAt('latest')).toEqual(suspicious);
  });

  test('are one when they continue different trees', async () => {
    await backUpWithPowerCut(['first']);
    const history = world.catalog.at(DESTINATION).history;
    const seen = { sequence: 2, treeHash: 'a'.repeat(64), previousTree: 'b'.repeat(64), created: times[0]! };
    history.recordSeenTree(DEVICE, SET, seen);
    expect(await warningsAt('latest')).toEqual(suspicious);
  });
});

describe('chunks that several files share', () => {
  test('are downloaded once', async () => {
    const small = seeded(50_000, 4);
    // More than the cache holds.
    const large = seeded(48 * 2 ** 20, 5);
    mkdirSync(join(world.source, 'z'));
    for (const name of ['a', 'b', 'z/c']) put(name, small);
    for (const name of ['large one', 'large two']) put(name, large);
    await world.backup();
    const report = await world.restore();
    expect(report).toMatchObject({ failures: [], filesRestored: 5 });
    for (const name of ['a', 'b', 'z/c']) expect(restored(name).equals(small)).toBe(true);
    for (const name of ['large one', 'large two']) expect(restored(name).equals(large)).toBe(true);
    expect(new Set(world.service.downloads).size).toBe(world.service.downloads.length);
    const before = world.service.downloads.length;
    const verified = await world.verify();
    expect(verified).toMatchObject({ filesChecked: 5, failures: [] });
    // The tree and the chunks, each once, and the key envelope, which this restore does not need.
    expect(world.service.downloads.length - before).toBe(before + 1);
  });
});

describe('verification of a sample', () => {
  test('checks some chunks and never reports the others as damaged', async () => {
    for (let index = 0; index < 300; index += 1) put(`file ${index}`, `content ${index % 200}`);
    await world.backup();
    const report = await world.verify(30);
    expect(report.failures).toEqual([]);
    expect(report.chunksChecked).toBeGreaterThan(5);
    expect(report.chunksChecked).toBeLessThan(150);
    expect(await world.verify(0)).toMatchObject({ chunksChecked: 0, failures: [] });
  });
});
