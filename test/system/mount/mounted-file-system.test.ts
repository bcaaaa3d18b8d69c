import { execFileSync } from 'node:child_process';
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ContentReader } from '../../../src/mount/content-reader.ts';
import { MountedFileSystem } from '../../../src/mount/mounted-file-system.ts';
import type { MountedFolder } from '../../../src/mount/mounted-folder.ts';
import type { RestoreTime } from '../../../src/model/restore-request.ts';
import { MountedPoint, PointCaches } from '../../../src/mount/mounted-point.ts';
import { ROOT_NODE, type FuseFolderEntry, type NodeId } from '../../../src/os/fuse/file-system.ts';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { DEVICE, RestoreWorld, SET } from '../../helpers/memory-service/restore-world.ts';

const { signal } = new AbortController();
const pool = new WorkerPool(2);
const MIB = 2 ** 20;
/** Lets user 1234 read. */
const ACCESS_LIST = '0x0200000001000600ffffffff02000400d204000004000400ffffffff10000400ffffffff20000400ffffffff';
let world: RestoreWorld;
let files: MountedFileSystem;
afterAll(() => pool.close());

async function backUpAndMount(owner?: { readonly uid: number; readonly gid: number }): Promise<void> {
  await world.backup();
  mountNewest(owner);
}

function mountNewest(owner?: { readonly uid: number; readonly gid: number }): void {
  mountPointAt('latest', owner);
}

function mountPointAt(at: RestoreTime, owner?: { readonly uid: number; readonly gid: number }): void {
  const source = { deviceId: DEVICE, backupSet: SET, at };
  const deps = world.dependencies;
  const tree = new MountedPoint('point', source, deps, new PointCaches(), signal);
  const point = { tree, reader: new ContentReader(deps, signal) };
  const root: MountedFolder = {
    list: async () => [{ name: 'point', modifiedNs: 5n, content: { kind: 'point', key: 'point', point } }],
  };
  files = new MountedFileSystem(root, owner, { uid: 7, gid: 8 });
}

/** Follows names from the root of the file system. */
async function nodeAt(...names: readonly string[]): Promise<NodeId> {
  let node = ROOT_NODE;
  for (const name of names) {
    const entry = await files.lookup(node, Buffer.from(name), signal);
    if (!entry) throw new Error(`there is no ${name}`);
    ({ node } = entry);
  }
  return node;
}

async function entriesOf(folder: NodeId, from = 0n): Promise<FuseFolderEntry[]> {
  const entries: FuseFolderEntry[] = [];
  await files.entries(folder, from, (entry) => entries.push(entry) > 0, signal);
  return entries;
}

async function namesIn(folder: NodeId, from = 0n): Promise<string[]> {
  return (await entriesOf(folder, from)).map(({ name }) => String(name));
}

async function read(node: NodeId, offset: number, size: number): Promise<Buffer> {
  return Buffer.concat(await files.read(node, offset, size, signal));
}

describe('a mounted restore point', () => {
  beforeEach(() => {
    world = new RestoreWorld(pool);
  });
  afterEach(() => world[Symbol.dispose]());

  test('lists a folder from any position, without what is below its entries', async () => {
    for (const name of ['a', 'b', 'b/inner', 'c']) mkdirSync(join(world.source, name));
    writeFileSync(join(world.source, 'b', 'inner', 'deep'), 'x');
    writeFileSync(join(world.source, 'd'), 'x');
    await backUpAndMount();
    expect(await namesIn(ROOT_NODE)).toEqual(['point']);
    expect(await namesIn(await nodeAt('point'))).toEqual(['source']);
    const folder = await nodeAt('point', 'source');
    expect(await namesIn(folder)).toEqual(['a', 'b', 'c', 'd']);
    const rest = [];
    for (const { next } of await entriesOf(folder)) rest.push(await namesIn(folder, next));
    expect(rest).toEqual([['b', 'c', 'd'], ['c', 'd'], ['d'], []]);
  });

  test('finds the folder above each folder', async () => {
    mkdirSync(join(world.source, 'a', 'b'), { recursive: true });
    await backUpAndMount();
    const path = ['point', 'source', 'a', 'b'];
    for (let length = 1; length <= path.length; length += 1) {
      const above = await nodeAt(...path.slice(0, length - 1));
      expect(await files.parent(await nodeAt(...path.slice(0, length)), signal)).toBe(above);
    }
  });

  test('gives the names of one file one inode, and others none of them', async () => {
    writeFileSync(join(world.source, 'one'), 'x');
    linkSync(join(world.source, 'one'), join(world.source, 'two'));
    writeFileSync(join(world.source, 'three'), 'x');
    await backUpAndMount();
    const stats = ['one', 'two', 'three'].map(async (name) =>
      files.attributes(await nodeAt('point', 'source', name), signal),
    );
    const [one, two, three] = await Promise.all(stats);
    expect(one).toMatchObject({ inode: two!.inode, links: 2, size: 1 });
    expect(three).toMatchObject({ links: 1 });
    expect(three!.inode).not.toBe(one!.inode);
  });

  test('belongs to the given owner, or to those of its files', async () => {
    await backUpAndMount({ uid: 1234, gid: 4321 });
    expect(await files.attributes(await nodeAt('point', 'source'), signal)).toMatchObject({ uid: 1234, gid: 4321 });
    await backUpAndMount();
    expect((await files.attributes(await nodeAt('point', 'source'), signal)).uid).toBe(process.getuid?.());
    expect((await files.attributes(ROOT_NODE, signal)).uid).toBe(7);
  });

  test('refuses what a file, a folder or a link is not asked for', async () => {
    writeFileSync(join(world.source, 'file'), 'x');
    symlinkSync('file', join(world.source, 'link'));
    await backUpAndMount();
    const [folder, file, link] = await Promise.all([
      nodeAt('point', 'source'),
      nodeAt('point', 'source', 'file'),
      nodeAt('point', 'source', 'link'),
    ]);
    expect(String(await files.readLink(link, signal))).toBe('file');
    await expect(files.readLink(file, signal)).rejects.toThrow('EINVAL');
    await expect(async () => files.read(folder, 0, 1, signal)).rejects.toThrow('EISDIR');
    await expect(namesIn(file)).rejects.toThrow('ENOTDIR');
    expect(await files.lookup(folder, Buffer.from('none'), signal)).toBeUndefined();
    expect(await files.lookup(folder, Buffer.from('..'), signal)).toBeUndefined();
    await expect(async () => files.lookup(file, Buffer.from('none'), signal)).rejects.toThrow('ENOTDIR');
    expect(() => files.lookup(folder, Buffer.alloc(256, 'x'), signal)).toThrow('ENAMETOOLONG');
    const attributesOf = async (node: NodeId): Promise<unknown> => files.attributes(node, signal);
    // Numbers that were never given out.
    for (const number of [99n, (5n << 42n) | 1n, (1n << 42n) | (9n << 18n), (1n << 42n) | 77n]) {
      await expect(attributesOf(number)).rejects.toBeInstanceOf(Error);
    }
  });

  test('has another number for a link with another target: the kernel keeps that of a number', async () => {
    let target = 'first';
    const root: MountedFolder = {
      list: async () => [{ name: 'latest', modifiedNs: 5n, content: { kind: 'link', target } }],
    };
    files = new MountedFileSystem(root, undefined, { uid: 7, gid: 8 });
    const first = await nodeAt('latest');
    expect(await nodeAt('latest')).toBe(first);
    target = 'another';
    const second = await nodeAt('latest');
    expect(second).not.toBe(first);
    expect((await entriesOf(ROOT_NODE)).map(({ node }) => node)).toEqual([second]);
    // Also for those who hold the older one.
    expect(String(await files.readLink(first, signal))).toBe('first');
    expect(String(await files.readLink(second, signal))).toBe('another');
    expect(await files.attributes(second, signal)).toMatchObject({ type: 'symlink', size: 'another'.length });
  });

  test('is never read from an older one once it was removed', async () => {
    writeFileSync(join(world.source, 'file'), 'older');
    await world.backup();
    writeFileSync(join(world.source, 'file'), 'newer');
    await world.backup();
    const [newer] = world.service.points;
    mountPointAt(newer!.time);
    const opened = await nodeAt('point', 'source', 'file');
    expect(String(await read(opened, 0, 10))).toBe('newer');
    world.service.points.shift();
    expect(String(await read(opened, 0, 10))).toBe('newer');
    mountPointAt(newer!.time);
    await expect(nodeAt('point', 'source', 'file')).rejects.toThrow('no_restore_point');
    await expect(namesIn(await nodeAt('point'))).rejects.toThrow('no_restore_point');
  });

  test('answers from memory at once', async () => {
    writeFileSync(join(world.source, 'file'), 'content');
    await backUpAndMount();
    const folder = await nodeAt('point', 'source');
    const file = await nodeAt('point', 'source', 'file');
    await read(file, 0, 7);
    expect(files.attributes(file, signal)).toMatchObject({ size: 7 });
    expect(files.lookup(folder, Buffer.from('file'), signal)).toMatchObject({ node: file });
    expect(files.lookup(folder, Buffer.from('none'), signal)).toBeUndefined();
    expect(files.attribute(file, Buffer.from('user.none'), signal)).toBe('absent');
    expect(files.attributeNames(file, signal)).toEqual([]);
    expect(files.read(file, 1, 3, signal)).toEqual([Buffer.from('ont')]);
  });

  test('names attributes of the system as unsupported until a file has one', async () => {
    writeFileSync(join(world.source, 'plain'), 'x');
    await backUpAndMount();
    const plain = await nodeAt('point', 'source', 'plain');
    const ask = (node: NodeId, name: string): unknown => files.attribute(node, Buffer.from(name), signal);
    expect(await ask(plain, 'system.posix_acl_access')).toBe('unsupported');
    expect(await ask(plain, 'security.selinux')).toBe('unsupported');
    expect(await ask(plain, 'user.colour')).toBe('absent');
    expect(await ask(ROOT_NODE, 'security.selinux')).toBe('absent');
    writeFileSync(join(world.source, 'shared'), 'x');
    execFileSync('setfattr', ['-n', 'system.posix_acl_access', '-v', ACCESS_LIST, join(world.source, 'shared')]);
    await backUpAndMount();
    const shared = await nodeAt('point', 'source', 'shared');
    expect(await ask(shared, 'system.posix_acl_access')).toBeInstanceOf(Uint8Array);
    const again = await nodeAt('point', 'source', 'plain');
    expect(await ask(again, 'system.posix_acl_access')).toBe('absent');
    expect(await ask(again, 'security.selinux')).toBe('unsupported');
  });

  test('names a folder with a part that cannot be read as incomplete, after all that can', async () => {
    // The records of long targets fill several pieces of the tree.
    for (let index = 0; index < 700; index += 1) symlinkSync('t'.repeat(4000), join(world.source, `link ${index}`));
    await backUpAndMount();
    const folder = await nodeAt('point', 'source');
    const all = await namesIn(folder);
    expect(all).toHaveLength(700);
    const damaged = world.service.downloads.at(-1);
    world.service.tamper = (hash, bytes) => (hash === damaged ? undefined : bytes);
    mountNewest();
    const names: string[] = [];
    const again = await nodeAt('point', 'source');
    const listing = files.entries(again, 0n, ({ name }) => names.push(String(name)) > 0, signal);
    await expect(listing).rejects.toThrow('EIO');
    expect(names.length).toBeGreaterThan(100);
    expect(names.length).toBeLessThan(700);
  });
});

describe('reading of files', () => {
  const content = randomBytes(16 * MIB);
  beforeAll(async () => {
    world = new RestoreWorld(pool);
    writeFileSync(join(world.source, 'large'), content);
    await world.backup();
  });
  beforeEach(() => {
    world.service.tamper = undefined;
    world.service.beforeDownload = undefined;
    mountNewest();
  });
  afterAll(() => world[Symbol.dispose]());

  test('returns any part of a file, and nothing behind its end', async () => {
    const node = await nodeAt('point', 'source', 'large');
    for (let count = 0; count < 30; count += 1) {
      const offset = randomInt(content.length);
      const size = randomInt(1, 3 * MIB);
      expect((await read(node, offset, size)).equals(content.subarray(offset, offset + size))).toBe(true);
    }
    expect(await read(node, content.length, 1)).toHaveLength(0);
    expect(await read(node, content.length - 1, 10)).toHaveLength(1);
  });

  test('fetches each chunk once for many readers, and what follows ahead', async () => {
    const node = await nodeAt('point', 'source', 'large');
    const before = world.service.downloads.length;
    await Promise.all(Array.from({ length: 8 }, () => read(node, 0, 1000)));
    expect(world.service.downloads.length - before).toBe(1);
    await read(node, 1000, 1000);
    await read(node, 2000, 1000);
    const ahead = (): number => world.service.downloads.length - before;
    await vi.waitFor(() => expect(ahead()).toBeGreaterThan(1), 60_000);
    expect(ahead()).toBeLessThan(16);
  });

  test('fetches only what is read if it is not read in order', async () => {
    const node = await nodeAt('point', 'source', 'large');
    const before = world.service.downloads.length;
    await read(node, 15 * MIB, 10);
    await read(node, 5 * MIB, 10);
    await read(node, 10 * MIB, 10);
    expect(world.service.downloads.length - before).toBe(3);
  });

  test('does not fetch a damaged chunk again for each of its pages, but later on', async () => {
    const node = await nodeAt('point', 'source', 'large');
    world.service.tamper = (_hash, bytes) => (bytes ? new Uint8Array(bytes.length) : undefined);
    await expect(read(node, 0, 4096)).rejects.toThrow('chunk_tampered');
    const damaged = world.service.downloads.at(-1);
    const tries = (): number => world.service.downloads.filter((hash) => hash === damaged).length;
    const tried = tries();
    await expect(read(node, 4096, 4096)).rejects.toThrow('chunk_tampered');
    expect(tries()).toBe(tried);
    world.service.tamper = undefined;
    world.clock.advance(120_000);
    expect((await read(node, 0, 4096)).equals(content.subarray(0, 4096))).toBe(true);
  });

  test('opens a session anew when it failed', async () => {
    const node = await nodeAt('point', 'source', 'large');
    await read(node, 0, 10);
    let failures = 1;
    world.service.beforeDownload = () => {
      if (failures-- > 0) throw new Error('expired');
    };
    const requests = world.service.requests.length;
    expect((await read(node, 9 * MIB, 10)).equals(content.subarray(9 * MIB, 9 * MIB + 10))).toBe(true);
    expect(world.service.requests.length).toBe(requests + 1);
  });

  test('ends for a reader who gave up, and goes on for others', async () => {
    const node = await nodeAt('point', 'source', 'large');
    const arrived = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    world.service.beforeDownload = () => {
      arrived.resolve();
      return released.promise;
    };
    const impatient = new AbortController();
    const first = files.read(node, 0, 10, impatient.signal);
    const second = read(node, 0, 10);
    await arrived.promise;
    impatient.abort();
    await expect(first).rejects.toThrow('aborted');
    released.resolve();
    expect((await second).equals(content.subarray(0, 10))).toBe(true);
  });
});

describe('small files of a mounted restore point', () => {
  const COUNT = 300;
  const contentOf = (index: number): string => `file ${index}`;
  const names = Array.from({ length: COUNT }, (_, index) => String(index).padStart(3, '0'));
  const large = randomBytes(100_000);
  let calls: number;

  beforeEach(async () => {
    world = new RestoreWorld(pool);
    mkdirSync(join(world.source, 'small'));
    names.forEach((name, index) => writeFileSync(join(world.source, 'small', name), contentOf(index)));
    writeFileSync(join(world.source, 'small', '005 is large'), large);
    await world.backup();
    world.service.manifests = 'none';
    mountNewest();
    calls = 0;
    world.service.beforeDownload = () => {
      calls += 1;
    };
  });
  afterEach(() => world[Symbol.dispose]());

  function hashOf(content: string | Buffer): string {
    return `sha256:${createHash('sha256').update(content).digest('hex')}`;
  }

  /** Counts downloads of small files, without those of lists of files. */
  function contentsOf(since: number): number {
    const hashes = new Set(names.map((_, index) => hashOf(contentOf(index))));
    return world.service.downloads.slice(since).filter((hash) => hashes.has(hash)).length;
  }

  async function readSmall(index: number): Promise<void> {
    expect(String(await read(await nodeAt('point', 'source', 'small', names[index]!), 0, 4096))).toBe(contentOf(index));
  }

  test('are fetched together when they are read one after the other, each once', async () => {
    await readSmall(0);
    calls = 0;
    const before = world.service.downloads.length;
    for (let index = 1; index < COUNT; index += 1) await readSmall(index);
    expect(calls).toBeLessThan(COUNT / 10);
    // Neither the large one nor any of them twice.
    expect(contentsOf(before)).toBe(COUNT - 1);
    expect(world.service.downloads.slice(before)).not.toContain(hashOf(large));
  });

  test('are fetched alone when they are read in another order', async () => {
    const before = world.service.downloads.length;
    for (const index of [290, 250, 210, 170, 130, 90, 50]) await readSmall(index);
    expect(contentsOf(before)).toBe(7);
  });

  test('can be read although one of those that follow is damaged', async () => {
    await readSmall(0);
    const damaged = hashOf(contentOf(7));
    world.service.tamper = (hash, bytes) => (bytes && hash === damaged ? new Uint8Array(bytes.length) : bytes);
    for (let index = 1; index < 7; index += 1) await readSmall(index);
    await expect(readSmall(7)).rejects.toThrow('chunk_tampered');
    await readSmall(8);
  });
});
