import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deleteEnvelopes } from '../../../src/agent/destination/keys/stored-envelopes.ts';
import { newDeviceKey } from '../../../src/format/crypto/device-key.ts';
import { createEnvelope, readEnvelope } from '../../../src/format/crypto/key-envelope.ts';
import { firstEpoch, newMasterKey } from '../../../src/format/crypto/keys.ts';
import { rotate } from '../../../src/format/crypto/rotation.ts';
import { hashOf as nameHashOf, keyName, KEYS_FOLDER } from '../../../src/format/repository/file-names.ts';
import type { Storage, StoredFile } from '../../../src/storage/storage.ts';
import { orThorough } from '../../helpers/thorough.ts';

/** A place for one repository, which several computers can open. */
export interface Place {
  open(): Promise<Storage>;
  /** Adds many files of the given content by other means than the store, if that is faster. */
  seed?(names: readonly string[], content: Uint8Array): Promise<void>;
  /** Adds files that are none of the repository's: unfinished and foreign ones. */
  clutter?(): Promise<void>;
  close?(): Promise<void>;
}

export interface ContractOptions {
  /** The store checks a name and takes it in two steps, so that several of those who compete for it may be told that they created it. */
  readonly isRacy?: boolean;
}

const MARKER = 'holdfast.json';
const PACK = 16 * 1024 * 1024;

/** The contract of every `Storage`. @param newPlace creates an empty place with a `holdfast.json` */
export function describeStorage(name: string, newPlace: () => Promise<Place>, options: ContractOptions = {}): void {
  describe(`storage: ${name}`, () => {
    let place: Place;
    let storage: Storage;
    let other: Storage;

    beforeAll(async () => {
      place = await newPlace();
      storage = await place.open();
      other = await place.open();
    });

    afterAll(async () => {
      await storage?.[Symbol.asyncDispose]();
      await other?.[Symbol.asyncDispose]();
      await place?.close?.();
    });

    test('lists nothing but the marker in a new repository', async () => {
      expect((await listed(storage, '')).map((file) => file.name)).toEqual([MARKER]);
      expect(await listed(storage, 'packs/')).toEqual([]);
      expect(await listed(storage, 'ledger/none/')).toEqual([]);
    });

    test('returns the concatenated parts, to another computer, too', async () => {
      const parts = [Buffer.from('one'), Buffer.alloc(0), randomBytes(70_000), shared(Buffer.from('last'))];
      expect(await storage.put('keys/parts', parts)).toBe('created');
      for (const opened of [storage, other]) {
        expect(hashOf(await opened.get('keys/parts'))).toBe(hashOf(Buffer.concat(parts)));
      }
    });

    test('names what is in the place of a folder, and moves it aside, whatever its name was before', async () => {
      if (!storage.obstacles) return;
      await storage.put('keys/before', [Buffer.from('a')]);
      const folders = ['damaged', 'keys', 'parity', 'packs'];
      expect(await storage.obstacles(folders)).toEqual([]);
      expect(await storage.move!('parity', 'damaged/parity.other-1')).toBe('missing');
      expect(await storage.put('parity', [Buffer.from('first')])).toBe('created');
      expect(await other.obstacles!(folders)).toEqual([{ name: 'parity', isLink: false }]);
      expect(await storage.move!('parity', 'damaged/parity.other-1')).toBe('moved');
      expect(textOf(await storage.get('damaged/parity.other-1'))).toBe('first');
      expect(await storage.put('parity', [Buffer.from('second')])).toBe('created');
      expect(await storage.move!('parity', 'damaged/parity.other-1')).toBe('exists');
      expect(await storage.move!('parity', 'damaged/parity.other-2')).toBe('moved');
      for (const [number, content] of ['first', 'second'].entries()) {
        expect(textOf(await other.get(`damaged/parity.other-${number + 1}`))).toBe(content);
      }
      expect(await storage.obstacles(folders)).toEqual([]);
      expect(await storage.put('parity/aa/one', [Buffer.from('b')])).toBe('created');
      for (const name of ['parity/aa/one', 'damaged/parity.other-1', 'damaged/parity.other-2', 'keys/before']) {
        await storage.delete(name);
      }
    });

    test('keeps what it was given when the memory is used again', async () => {
      const bytes = Buffer.from('before');
      await storage.put('keys/reused', [bytes]);
      bytes.fill('x');
      expect(textOf(await storage.get('keys/reused'))).toBe('before');
    });

    test('leaves an existing file unchanged, whoever created it', async () => {
      expect(await storage.put('keys/taken', [Buffer.from('first')])).toBe('created');
      expect(await storage.put('keys/taken', [Buffer.from('second')])).toBe('exists');
      expect(await other.put('keys/taken', [Buffer.from('third')])).toBe('exists');
      expect(textOf(await other.get('keys/taken'))).toBe('first');
    });

    test('creates a name once when several calls compete for it', async () => {
      const names = Array.from({ length: 10 }, (_, index) => `keys/raced-${index}`);
      await Promise.all(
        names.map(async (raced) => {
          const contents = ['one', 'two', 'three', 'four'].map((word) => Buffer.from(word.repeat(1000)));
          const puts = contents.map((content, index) => (index % 2 === 0 ? storage : other).put(raced, [content]));
          // Where two create it, the first may find that the file is not its own: names have hashes, so that is no answer of the store.
          const caught = puts.map((put) => (options.isRacy ? put.catch(() => 'replaced') : put));
          const outcomes = await Promise.all(caught);
          const created = contents.filter((_, index) => outcomes[index] === 'created').map(String);
          if (options.isRacy) expect(created).not.toEqual([]);
          else expect(created).toHaveLength(1);
          expect(created).toContain(textOf(await storage.get(raced)));
        }),
      );
    });

    test('keeps key envelopes, and deletes them for all', async () => {
      const master = newMasterKey();
      const first = await createEnvelope(master);
      const { envelope: second } = await rotate(
        firstEpoch(master),
        readEnvelope(first),
        { author: newDeviceKey(), members: [], revoked: [], writers: new Map() },
        { now: 1 },
      );
      for (const bytes of [first, second]) await storage.put(keyName(nameHashOf(bytes)), [bytes]);
      const names = [first, second].map((bytes) => keyName(nameHashOf(bytes)));
      expect((await listed(other, KEYS_FOLDER)).map((file) => file.name)).toEqual(expect.arrayContaining(names));
      const found = await Promise.all(names.map(async (key) => readEnvelope((await other.get(key))!).epoch));
      expect(found).toEqual([1, 2]);
      expect(await deleteEnvelopes(other, [first])).toBe(true);
      expect(await storage.get(names[0]!)).toBeUndefined();
      expect(await deleteEnvelopes(storage, [first, second])).toBe(true);
      expect(await other.get(names[1]!)).toBeUndefined();
    });

    test('returns undefined for a file that does not exist', async () => {
      expect(await storage.get('keys/missing')).toBeUndefined();
      expect(await storage.get('nowhere/at/all')).toBeUndefined();
      expect(await storage.get('keys/missing', { offset: 0, length: 10 })).toBeUndefined();
      expect(await storage.get('keys/missing', { offset: 5, length: 0 })).toBeUndefined();
    });

    test('stores a file of the size of a pack and returns ranges of it', async () => {
      const digest = randomBytes(32).toString('hex');
      const pack = `packs/${digest.slice(0, 2)}/${digest}`;
      const parts = Array.from({ length: 16 }, () => randomBytes(PACK / 16));
      const content = Buffer.concat(parts);
      expect(await storage.put(pack, parts)).toBe('created');
      expect(hashOf(await other.get(pack))).toBe(hashOf(content));
      for (const [offset, length] of [
        [0, 1],
        [0, PACK],
        [1_000_000, 100_000],
        [PACK - 1, 1],
        [PACK - 16, 16],
      ] as const) {
        const part = await other.get(pack, { offset, length });
        expect(part).toHaveLength(length);
        expect(hashOf(part)).toBe(hashOf(content.subarray(offset, offset + length)));
      }
      expect(await listed(storage, `packs/${digest.slice(0, 2)}/`)).toMatchObject([{ name: pack, bytes: PACK }]);
    });

    test.each([
      ['begins in the file and ends behind it', 7, 100, '789'],
      ['ends with the file', 7, 3, '789'],
      ['begins at the end', 10, 5, ''],
      ['begins behind the end', 1_000, 5, ''],
      ['is empty', 3, 0, ''],
    ])('returns what there is of a range that %s', async (_, offset, length, expected) => {
      await storage.put('keys/digits', [Buffer.from('0123456789')]);
      expect(textOf(await storage.get('keys/digits', { offset, length }))).toBe(expected);
    });

    test('stores an empty file', async () => {
      expect(await storage.put('keys/empty', [])).toBe('created');
      expect(await storage.get('keys/empty')).toHaveLength(0);
      expect(await storage.get('keys/empty', { offset: 0, length: 4 })).toHaveLength(0);
      expect(await listed(storage, 'keys/')).toContainEqual(expect.objectContaining({ name: 'keys/empty', bytes: 0 }));
    });

    test('returns many ranges that are read at once', async () => {
      const content = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 251));
      const names = Array.from({ length: 40 }, (_, index) => `packs/aa/many-${index}`);
      await Promise.all(names.map((many) => storage.put(many, [content])));
      await Promise.all(
        names.flatMap((many) =>
          [0, 300, 600].map(async (offset) => {
            const range = await other.get(many, { offset, length: 300 });
            expect(range && Buffer.from(range).equals(content.subarray(offset, offset + 300))).toBe(true);
          }),
        ),
      );
    });

    test('deletes a file, and ignores one that does not exist', async () => {
      await storage.put('keys/deleted', [Buffer.from('gone')]);
      for (const opened of [storage, other]) await opened.get('keys/deleted', { offset: 0, length: 1 });
      await storage.delete('keys/deleted');
      await storage.delete('keys/deleted');
      await storage.delete('nowhere/at/all');
      expect(await storage.get('keys/deleted')).toBeUndefined();
      expect(await storage.get('keys/deleted', { offset: 0, length: 1 })).toBeUndefined();
      expect((await listed(storage, 'keys/')).map((file) => file.name)).not.toContain('keys/deleted');
      expect(await storage.put('keys/deleted', [Buffer.from('again')])).toBe('created');
    });

    test('ends a call with the reason of its signal', async () => {
      const signal = AbortSignal.abort(new Error('enough'));
      await expect(storage.get(MARKER, undefined, signal)).rejects.toThrow('enough');
      await expect(storage.get(MARKER, { offset: 0, length: 1 }, signal)).rejects.toThrow('enough');
      await expect(storage.put('keys/aborted', [Buffer.from('a')], signal)).rejects.toThrow('enough');
      await expect(storage.delete(MARKER, signal)).rejects.toThrow('enough');
      await expect(listed(storage, '', signal)).rejects.toThrow('enough');
      expect(await storage.get('keys/aborted')).toBeUndefined();
      expect(await storage.get(MARKER)).toBeDefined();
    });

    test('has a complete file or none when a call is aborted meanwhile', async () => {
      const content = randomBytes(PACK);
      await Promise.all(
        [0, 1, 5, 20].map(async (pause) => {
          const stop = new AbortController();
          const putting = storage.put(`packs/bb/stopped-${pause}`, [content], stop.signal);
          putting.catch(() => undefined);
          await new Promise((resolve) => {
            setTimeout(resolve, pause);
          });
          stop.abort(new Error('stopped'));
          const outcome = await putting.catch((error: unknown) => error);
          const found = await other.get(`packs/bb/stopped-${pause}`);
          if (outcome === 'created') expect(found).toHaveLength(PACK);
          else expect(outcome).toMatchObject({ message: 'stopped' });
          expect([undefined, hashOf(content)]).toContain(found && hashOf(found));
        }),
      );
    });

    test('refuses names that are none', async () => {
      const names = ['', '/', '/keys', 'keys/', 'a//b', '../outside', 'keys/..', 'Keys', '.tmp-1', 'a/.tmp-1', 'a\\b'];
      for (const wrong of [...names, 'x'.repeat(201)]) {
        await expect(storage.put(wrong, [])).rejects.toThrow(TypeError);
        await expect(storage.get(wrong)).rejects.toThrow(TypeError);
        await expect(storage.delete(wrong)).rejects.toThrow(TypeError);
      }
      await expect(listed(storage, 'keys')).rejects.toThrow(TypeError);
      await expect(listed(storage, '../')).rejects.toThrow(TypeError);
    });

    test('lists more files than a page of a bucket has, with their sizes, and those of a prefix only', async () => {
      const devices = ['0a', '0b', '0ab'].map((device) => `ledger/${device}/`);
      const names = Array.from({ length: orThorough(1_050, 2_500) }, (_, index) =>
        index < orThorough(1_010, 2_100)
          ? `${devices[0]}${String(index + 1).padStart(12, '0')}-x`
          : `${devices[1 + (index % 2)]}${index}-y`,
      );
      await seed(place, storage, names, Buffer.from('12345'));
      await place.clutter?.();
      const all = await listed(storage, 'ledger/');
      expect(all.map((file) => file.name).toSorted()).toEqual(names.toSorted());
      expect(new Set(all.map(({ bytes }) => bytes))).toEqual(new Set([5]));
      for (const device of devices) {
        const found = (await listed(other, device)).map((file) => file.name);
        expect(found.toSorted()).toEqual(names.filter((file) => file.startsWith(device)).toSorted());
      }
      const everything = (await listed(storage, '')).map((file) => file.name);
      expect(everything).toEqual(expect.arrayContaining([MARKER, ...names]));
      expect(everything).toHaveLength(new Set(everything).size);
      expect(everything.filter((file) => /[^0-9a-z./-]|tmp/.test(file))).toEqual([]);
    });

    test('returns the time at which a file was created', async () => {
      await storage.put('keys/dated', [Buffer.from('now')]);
      const file = (await listed(storage, 'keys/')).find(({ name }) => name === 'keys/dated');
      expect(Number.isInteger(file?.created)).toBe(true);
      const day = 24 * 60 * 60 * 1000;
      expect(Math.abs(file!.created! - Date.now())).toBeLessThan(day);
    });
  });
}

/** Returns everything that a listing yields. */
export async function listed(storage: Storage, prefix: string, signal?: AbortSignal): Promise<readonly StoredFile[]> {
  const files: StoredFile[] = [];
  for await (const batch of storage.list(prefix, signal, undefined)) files.push(...batch);
  return files;
}

async function seed(place: Place, storage: Storage, names: readonly string[], content: Uint8Array): Promise<void> {
  if (place.seed) {
    await place.seed(names, content);
    return;
  }
  for (let from = 0; from < names.length; from += 50) {
    await Promise.all(names.slice(from, from + 50).map((name) => storage.put(name, [content])));
  }
}

function shared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

function hashOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes && createHash('sha256').update(bytes).digest('hex');
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes && Buffer.from(bytes).toString();
}
