import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEnvelope } from '../../../src/format/crypto/key-envelope.ts';
import type { CopyProgress } from '../../../src/copy/types.ts';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { newWriterKey } from '../../../src/format/repository/writer-key.ts';
import { RepositoryClient } from '../../../src/repository/repository-client.ts';
import { checkRepository } from '../../../src/repository/check/check-repository.ts';
import { Random } from '../../helpers/random.ts';
import { compareTrees } from '../../helpers/tree/compare.ts';
import { MemoryStorage } from '../../helpers/storage/memory-storage.ts';
import { CopyWorld, SET, type Place } from './copy-world.ts';

const pool = new WorkerPool(2);
let world: CopyWorld;
beforeEach(() => {
  world = new CopyWorld(pool);
});
afterEach(() => world[Symbol.asyncDispose]());
afterAll(() => pool.close());

const random = new Random(1);

function put(name: string, content: string | Buffer): void {
  const path = join(world.source, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content);
}

/** A copy of the source as it is now. */
function snapshot(name: string): string {
  const path = join(world.folder, name);
  execFileSync('cp', ['-a', world.source, path]);
  return path;
}

/** Changes of all kinds between the backups; returns the state at each. */
async function backUpHistory(place: Place, changes: Parameters<CopyWorld['backup']>[1] = {}): Promise<string[]> {
  for (let number = 0; number < 80; number += 1) put(`many/file-${number}`, random.bytes(50 + random.below(3_000)));
  put('large', Buffer.concat(Array.from({ length: 20 }, () => random.bytes(100_000))));
  put('kept', 'kept');
  put('swapped/below', 'below');
  put('other', 'a file that becomes a folder');
  const states: string[] = [];
  const steps = [
    () => undefined,
    () => {
      for (let number = 0; number < 80; number += 17) put(`many/file-${number}`, `changed ${number}`);
      rmSync(join(world.source, 'many', 'file-5'));
    },
    () => {
      rmSync(join(world.source, 'swapped'), { recursive: true });
      put('swapped', 'a folder before');
      rmSync(join(world.source, 'other'));
      put('other/below', 'a file before');
      put('other/deeper/still', 'x');
    },
    () => {
      rmSync(join(world.source, 'other'), { recursive: true });
      put('zz last', 'new');
      utimesSync(join(world.source, 'kept'), 1_000_000, 1_000_000.5);
    },
    () => undefined,
  ];
  for (const [index, step] of steps.entries()) {
    step();
    states.push(snapshot(`state-${index}`));
    await world.backup(place, changes);
  }
  return states;
}

async function expectStates(place: Place, states: readonly string[]): Promise<void> {
  const points = await world.points(place);
  expect(points).toHaveLength(states.length);
  for (const [index, time] of points.entries()) {
    const { target, report } = await world.restore(place, time);
    expect(report).toMatchObject({ failures: [], warnings: [] });
    expect(await compareTrees(states[index]!, target)).toEqual([]);
  }
  expect(await world.verify(place, points.at(-1)!)).toMatchObject({ failures: [], warnings: [] });
}

/** Expects that the trees of a destination form a chain from the first on. */
async function expectChain(place: Place): Promise<void> {
  let previous: { readonly treeHash: string; readonly created: number } | undefined;
  for (const [index, footer] of (await world.footers(place)).entries()) {
    const { sequence, previousTree, created, deviceId } = footer;
    expect({ sequence, previousTree, deviceId }).toEqual({
      sequence: index + 1,
      previousTree: previous?.treeHash,
      deviceId: place.deviceId,
    });
    expect(created).toBeGreaterThan(previous?.created ?? 0);
    previous = footer;
  }
}

function hashOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** Damages the blob of a chunk in memory. */
function damage({ repository, files }: Place, digest: Buffer): void {
  for (const { packHash, offset } of repository!.projection.packs.locate(digest)) {
    const name = `packs/${packHash.slice(0, 2)}/${packHash}`;
    const file = files!.get(name)!;
    const bytes = Uint8Array.from(file.bytes);
    bytes[offset + 20]! ^= 1;
    files!.set(name, { ...file, bytes });
  }
}

describe('a copy of restore points', () => {
  test.each([
    ['a repository', 'a repository', false],
    ['a repository', 'a repository', true],
    ['a repository', 'a service', false],
    ['a repository', 'a service', true],
    ['a service', 'a repository', false],
    ['a service', 'a repository', true],
    ['a service', 'a service', false],
  ] as const)('from %s to %s restores everything (private names: %s)', async (first, second, privateNames) => {
    const open = (kind: string, name: string): Promise<Place> =>
      kind === 'a service' ? world.service(name) : world.repository(name);
    const [from, to] = [await open(first, 'from'), await open(second, 'to')];
    const states = await backUpHistory(from, { privateNames });
    const report = await world.copy(from, to);
    expect(report).toMatchObject({ pointsCopied: states.length, pointsSkipped: [], failures: [] });
    expect(await world.points(to)).toEqual(await world.points(from));
    await expectStates(to, states);
    await expectChain(to);
    const footersOf = async (place: Place) =>
      (await world.footers(place)).map(({ created, roots, pieces, warnings }) => ({
        created,
        roots,
        pieces,
        warnings,
      }));
    expect(await footersOf(to)).toEqual(await footersOf(from));
    if (to.repository) {
      // A repair finds trees by the kind of their chunks.
      const kinds = (place: Place): number => place.repository?.projection.packs.digestsOf('tree').length ?? 0;
      if (from.repository) expect(kinds(to)).toBe(kinds(from));
      const options = { scratch: join(world.folder, 'scratch.sqlite'), percent: 100 };
      expect(await checkRepository(to.repository, options)).toMatchObject({ findingsTotal: 0, lossesTotal: 0 });
    }
    // The next backup there needs nothing of what was copied.
    const next = await world.backup(to, { privateNames });
    expect(next.chunksNew).toBeLessThanOrEqual(1);
    const { target } = await world.restore(to);
    expect(await compareTrees(states.at(-1)!, target)).toEqual([]);
  });

  test('sends nothing that is there already, and copies what was added since', async () => {
    const [from, to] = [await world.repository('from'), await world.repository('to')];
    const states = await backUpHistory(from);
    await world.copy(from, to);
    const again = await world.copy(from, to);
    expect(again).toMatchObject({ pointsCopied: 0, chunksCopied: 0, bytesCopied: 0, failures: [] });
    expect(again.pointsSkipped.map(({ reason }) => reason)).toEqual(states.map(() => 'present'));
    put('added', 'since');
    states.push(snapshot('added'));
    await world.backup(from);
    expect(await world.copy(from, to)).toMatchObject({ pointsCopied: 1, failures: [] });
    await expectStates(to, states);
  });

  test('copies blobs byte for byte', async () => {
    const [from, to] = [await world.repository('from'), await world.repository('to')];
    put('a', 'the content');
    await world.backup(from);
    await world.copy(from, to);
    const blobs: Buffer[] = [];
    for (const place of [from, to]) {
      await place.downloader.download(
        '',
        [hashOf('the content')],
        (_hash, bytes) => void blobs.push(Buffer.from(bytes!)),
      );
    }
    expect(blobs[0]!.equals(blobs[1]!)).toBe(true);
  });

  test('replaces the key envelope of other backups by its own', async () => {
    const [from, to] = [await world.repository('from'), await world.repository('to')];
    put('a', 'the content');
    await world.backup(from, {}, await createEnvelope(Buffer.alloc(32, 8)));
    const [point] = await world.points(from);
    const { failures, warnings } = await world.verify(from, point!);
    expect([...failures, ...warnings]).toMatchObject([{ path: '/.holdfast/keys' }]);
    await world.copy(from, to);
    expect(await world.verify(to, point!)).toMatchObject({ failures: [], warnings: [] });
  });

  test('copies only the newest restore point, or only one set, if that is requested', async () => {
    const [from, to] = [await world.repository('from'), await world.repository('to')];
    const states = await backUpHistory(from);
    await world.backup(from, { name: 'second' });
    expect(await world.copy(from, to, { latest: true })).toMatchObject({ pointsCopied: 1 });
    await expectStates(to, states.slice(-1));
    const rest = await world.copy(from, to);
    expect(rest).toMatchObject({ pointsCopied: 4, pointsSkipped: [{ reason: 'present' }] });
    await expectStates(to, states);
    expect(await world.copy(from, to, { sets: ['second'] })).toMatchObject({ pointsCopied: 1, chunksCopied: 1 });
  });

  test('adds restore points that are older than the newest one there', async () => {
    const [from, to] = [await world.repository('from'), await world.repository('to')];
    const states = await backUpHistory(from);
    put('a', 'at the other destination only');
    states.push(snapshot('there'));
    await world.backup(to);
    const [, , , , , own] = [...(await world.points(from)), ...(await world.points(to))];
    const report = await world.copy(from, to);
    expect(report).toMatchObject({ pointsCopied: 5, pointsSkipped: [], failures: [] });
    expect(await world.points(to)).toEqual([...(await world.points(from)), own]);
    await expectStates(to, states);
    expect(to.repository!.projection.points.alarms()).toEqual([]);
    // They stand outside of the chain, which the next backup continues.
    const chained = async () => (await world.footers(to)).map(({ sequence, previousTree }) => [sequence, previousTree]);
    const outside = states.slice(1).map(() => [0, undefined]);
    expect(await chained()).toEqual([...outside, [1, undefined]]);
    const newest = (await world.footers(to)).at(-1)!;
    await world.backup(to);
    expect(await chained()).toEqual([...outside, [1, undefined], [2, newest.treeHash]]);
    expect((await world.copy(from, to)).pointsSkipped.map(({ reason }) => reason)).toEqual(
      outside.map(() => 'present'),
    );
    const options = { scratch: join(world.folder, 'scratch.sqlite'), percent: 100 };
    expect(await checkRepository(to.repository!, options)).toMatchObject({ findingsTotal: 0, lossesTotal: 0 });
  });

  test('continues the chain with those after the newest one there', async () => {
    const [from, to] = [await world.repository('from'), await world.repository('to')];
    const states: string[] = [];
    for (const [index, place] of [from, to, from].entries()) {
      put('a', `state ${index}`);
      states.push(snapshot(`state-${index}`));
      await world.backup(place);
    }
    expect(await world.copy(from, to)).toMatchObject({ pointsCopied: 2, pointsSkipped: [], failures: [] });
    const [before, own, after] = await world.footers(to);
    expect([before?.sequence, own?.sequence, after?.sequence]).toEqual([0, 1, 2]);
    expect(after?.previousTree).toBe(own?.treeHash);
    await expectStates(to, states);
  });

  test('sends a restore point before others as its differences from the one that was copied before it', async () => {
    const [from, to] = [await world.repository('from'), await world.repository('to')];
    const states = await backUpHistory(from);
    put('a', 'at the other destination only');
    await world.backup(to);
    const init = to.service.backupInit.bind(to.service);
    const sent: string[] = [];
    to.service.backupInit = async (request, ...rest) => {
      const head = await init(request, ...rest);
      sent.push(request.delta ? 'differences' : 'everything');
      return head;
    };
    await world.copy(from, to);
    expect(sent).toEqual(['everything', ...states.slice(1).map(() => 'differences')]);
  });

  test('skips restore points of runs that reached both', async () => {
    const [from, to] = [await world.repository('from'), await world.repository('to')];
    put('a', '1');
    await world.backup(from);
    await world.backup(to);
    put('a', '2');
    await world.backup(from);
    const report = await world.copy(from, to);
    const [old] = await world.points(from);
    expect(report).toMatchObject({
      pointsCopied: 1,
      pointsSkipped: [{ set: SET, restorePoint: old, reason: 'present' }],
    });
    // The next backup continues the chain of what was copied.
    await world.backup(to);
    await expectChain(to);
    expect(await world.points(to)).toHaveLength(3);
  });

  test('copies restore points of the same content that never reached the other one', async () => {
    const [from, to] = [await world.repository('from'), await world.repository('to')];
    put('a', '1');
    const states = [snapshot('first'), snapshot('second'), snapshot('third')];
    for (const place of [from, from, from, to, from]) await world.backup(place);
    const points = await world.points(from);
    const [own] = await world.points(to);
    const nearest = points[2]!;
    // Its tree was made just before, or just after.
    const report = await world.copy(from, to);
    expect(report).toMatchObject({ pointsCopied: 3, failures: [] });
    expect(report.pointsSkipped).toHaveLength(1);
    expect([points[2], points[3]]).toContain(report.pointsSkipped[0]!.restorePoint);
    expect(await world.points(to)).toEqual(expect.arrayContaining([points[0], points[1], own]));
    expect(nearest < own!).toBe(true);
    await expectStates(to, [...states, snapshot('fourth')]);
    expect(await world.copy(from, to)).toMatchObject({ pointsCopied: 0, bytesCopied: 0 });
  });

  test('copies the newest one when the one before has the same content and was copied', async () => {
    const [from, to] = [await world.repository('from'), await world.repository('to')];
    put('a', '1');
    await world.backup(from);
    await world.copy(from, to);
    await world.backup(from);
    expect(await world.copy(from, to, { latest: true })).toMatchObject({ pointsCopied: 1, pointsSkipped: [] });
    expect(await world.points(to)).toEqual(await world.points(from));
  });

  test('copies what did not change when an interrupted copy continues', async () => {
    const [from, to] = [await world.repository('from'), await world.repository('to')];
    put('a', '1');
    await world.backup(from);
    const [first] = await world.points(from);
    await world.copy(from, to);
    await world.backup(from);
    expect(await world.copy(from, to)).toMatchObject({
      pointsCopied: 1,
      pointsSkipped: [{ restorePoint: first, reason: 'present' }],
    });
  });

  test('names restore points that a service does not take any more', async () => {
    const [from, to] = [await world.repository('from'), await world.service('to')];
    put('a', '1');
    await world.backup(from);
    await world.backup(to);
    put('a', '2');
    await world.backup(from);
    const [old] = await world.points(from);
    expect(await world.copy(from, to)).toMatchObject({
      pointsCopied: 1,
      pointsSkipped: [{ set: SET, restorePoint: old, reason: 'older' }],
    });
  });

  test('names a restore point that lacks a chunk and does not create it, but copies the others', async () => {
    const [from, to] = [await world.repository('from'), await world.repository('to')];
    put('a', 'first');
    await world.backup(from);
    put('a', 'second');
    put('b', 'second, too');
    await world.backup(from);
    put('a', 'third');
    rmSync(join(world.source, 'b'));
    const state = snapshot('third');
    await world.backup(from);
    damage(from, createHash('sha256').update('second, too').digest());
    const [first, second, third] = await world.points(from);
    const report = await world.copy(from, to);
    expect(report.failures).toEqual([
      {
        set: SET,
        restorePoint: second,
        path: join(world.source, 'b'),
        chunk: hashOf('second, too'),
        reason: 'chunk_tampered',
      },
    ]);
    expect(report.pointsCopied).toBe(2);
    expect(await world.points(to)).toEqual([first, third]);
    const { target } = await world.restore(to);
    expect(await compareTrees(state, target)).toEqual([]);
    expect(await world.verify(to, third!)).toMatchObject({ failures: [], warnings: [] });
  });

  test('names a restore point whose tree lost a piece', async () => {
    const [from, to] = [await world.repository('from'), await world.repository('to')];
    put('a', 'first');
    await world.backup(from);
    const { packs, points } = from.repository!.projection;
    const footer = points.all()[0]!.tree;
    damage(
      from,
      packs.digestsOf('tree').find((digest) => !digest.equals(footer))!,
    );
    const report = await world.copy(from, to);
    expect(report).toMatchObject({ pointsCopied: 0, failures: [{ set: SET, reason: 'chunk_tampered' }] });
    expect(await world.points(to)).toEqual([]);
  });

  test('continues where it was killed, after whatever change', async () => {
    const [from, whole] = [await world.repository('from'), await world.repository('whole')];
    const states = await backUpHistory(from);
    await world.copy(from, whole);
    const key = newWriterKey();
    const memory = new MemoryStorage(new Map((await world.repository('to')).files));
    let to: Place;
    let kills = 0;
    for (let isComplete = false; !isComplete;) {
      to = await world.opened('killed', memory, key);
      to.storage!.dieAfter(1, new Error('killed'));
      try {
        isComplete = (await world.copy(from, to)).failures.length === 0;
      } catch (error) {
        expect(String(error)).toContain('killed');
        // Each run gets further by one change.
        kills += 1;
        expect(kills).toBeLessThanOrEqual(whole.storage!.effects.length);
      }
    }
    expect(kills).toBeGreaterThan(states.length);
    to = await world.opened('killed', memory, key);
    await expectStates(to, states);
  });

  test('ends as interrupted when its signal is aborted, and completes in the next run', async () => {
    const [from, to] = [await world.repository('from'), await world.repository('to')];
    const states = await backUpHistory(from);
    const abort = new AbortController();
    const onProgress = ({ pointsDone, chunksDone }: CopyProgress): void => {
      if (pointsDone === 1 && chunksDone > 0) abort.abort();
    };
    const copying = world.copy(from, to, {}, { signal: abort.signal, onProgress });
    await expect(copying).rejects.toMatchObject({ code: 'interrupted' });
    expect((await world.points(to)).length).toBeLessThan(states.length);
    expect(await world.copy(from, to)).toMatchObject({ failures: [] });
    await expectStates(to, states);
  });

  test('reports its progress, which never decreases', async () => {
    const [from, to] = [await world.repository('from'), await world.repository('to')];
    const states = await backUpHistory(from);
    const seen: CopyProgress[] = [];
    const report = await world.copy(from, to, {}, { onProgress: (progress) => seen.push(progress) });
    const last = { pointsDone: states.length, pointsTotal: states.length, bytesCopied: report.bytesCopied };
    expect(seen.at(-1)).toMatchObject(last);
    for (const [index, { pointsDone, bytesCopied, chunksDone, chunksTotal }] of seen.entries()) {
      expect(pointsDone).toBeGreaterThanOrEqual(seen[index - 1]?.pointsDone ?? 0);
      expect(bytesCopied).toBeGreaterThanOrEqual(seen[index - 1]?.bytesCopied ?? 0);
      expect(chunksDone).toBeLessThanOrEqual(chunksTotal);
    }
  });

  test('to a service that sets the times itself copies everything once and in order', async () => {
    const [from, to] = [await world.repository('from'), await world.service('to')];
    const states = await backUpHistory(from);
    const offered = [...(await to.service.capabilities())].filter((name) => name !== 'backup.complete.time');
    to.service.capabilities = () => Promise.resolve(new Set(offered));
    const abort = new AbortController();
    const onProgress = ({ pointsDone }: CopyProgress): void => {
      if (pointsDone === 2) abort.abort();
    };
    await expect(world.copy(from, to, {}, { signal: abort.signal, onProgress })).rejects.toMatchObject({
      code: 'interrupted',
    });
    const report = await world.copy(from, to);
    expect(report.pointsSkipped.map(({ reason }) => reason)).toEqual(['present', 'present']);
    await expectStates(to, states);
  });
});

describe('a destination that lost packs', () => {
  test.each(['all packs', 'its largest pack'])('is mended by a copy: %s', async (lost) => {
    const [from, to] = [await world.repository('from'), await world.repository('to')];
    const states = await backUpHistory(from);
    await world.copy(from, to);
    const packs = packsOf(to);
    for (const name of lost === 'all packs' ? packs : packs.slice(0, 1)) to.files!.delete(name);
    const fresh = reopened(to);
    const report = await world.copy(from, fresh);
    expect(report.pointsCopied + report.pointsMended).toBe(states.length);
    expect(report).toMatchObject({ pointsSkipped: [], failures: [] });
    await expectStates(fresh, states);
    expect(await world.copy(from, reopened(to))).toMatchObject({ pointsCopied: 0, pointsMended: 0, failures: [] });
  });

  test('is named when the other one does not have its data either', async () => {
    const [from, to] = [await world.repository('from'), await world.repository('to')];
    await backUpHistory(from);
    await world.copy(from, to);
    for (const place of [from, to]) place.files!.delete(packsOf(place)[0]!);
    const { pointsSkipped, failures } = await world.copy(from, reopened(to));
    expect(pointsSkipped.filter(({ reason }) => reason === 'damaged').length + failures.length).toBeGreaterThan(0);
  });
});

/** Names of the packs of a destination, the largest first. */
function packsOf({ files }: Place): readonly string[] {
  const packs = [...files!].filter(([name]) => name.startsWith('packs/'));
  return packs.toSorted(([, a], [, b]) => b.bytes.length - a.bytes.length).map(([name]) => name);
}

/** A destination as another process of this computer uses it. */
function reopened(place: Place): Place {
  const client = new RepositoryClient(place.repository!);
  return { ...place, service: client, uploader: client };
}

test('leaves out restore points that were removed since they were listed', async () => {
  const [from, to] = [await world.repository('from'), await world.repository('to')];
  for (const content of ['one', 'two']) {
    put('file', content);
    await world.backup(from);
  }
  const listed = (await from.service.restorePoints(from.deviceId, SET))!;
  const times = listed.map((point) => Date.parse(point.restore_point)).toSorted((a, b) => a - b);
  const removed = [times[0]! - 1, times[0]! + 1].map((time, index) => ({
    restore_point: new Date(time).toISOString(),
    backup_id: `${index}`.repeat(32),
    files: 1,
    bytes: 3,
  }));
  from.service.restorePoints = async () => [...listed, ...removed];
  expect(await world.copy(from, to)).toMatchObject({ pointsCopied: 2, pointsSkipped: [], failures: [] });
  expect((await world.points(to)).map((time) => Date.parse(time))).toEqual(times);
});
