import BetterSqlite from 'better-sqlite3';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CopyDamagedError, openCopy, sealCopy } from '../../../src/service/objects/metadata-copy/copy-seal.ts';
import { CopyOutdatedError, MetadataCopy } from '../../../src/service/objects/metadata-copy/metadata-copy.ts';
import { Bucket } from '../../../src/s3/bucket.ts';
import { HAS_S3, newBucket } from '../../helpers/s3/s3-server.ts';
import { temporaryDirectory } from '../harness.ts';

const KEY = randomBytes(32);

describe('an object of the copy', () => {
  test('opens with its own key and name only, and only if complete', () => {
    const sealed = sealCopy(KEY, 'a', Buffer.from('what was written'));
    expect(openCopy(KEY, 'a', sealed).toString()).toBe('what was written');
    expect(() => openCopy(KEY, 'b', sealed)).toThrow(CopyDamagedError);
    expect(() => openCopy(randomBytes(32), 'a', sealed)).toThrow(CopyDamagedError);
    for (let at = 0; at < sealed.length; at += 1) {
      const turned = Buffer.from(sealed);
      turned[at]! ^= 1;
      expect(() => openCopy(KEY, 'a', turned)).toThrow(CopyDamagedError);
      expect(() => openCopy(KEY, 'a', sealed.subarray(0, at))).toThrow(CopyDamagedError);
    }
  });
});

describe.skipIf(!HAS_S3)('the copy of a home’s metadata (scripts/install-test-tools.sh)', () => {
  interface Computer {
    readonly copy: MetadataCopy;
    readonly file: string;
    add(...texts: readonly string[]): void;
    rows(): readonly string[];
  }

  async function computer(bucket: Bucket, key: Uint8Array = KEY): Promise<Computer> {
    const file = join(await temporaryDirectory(), 'metadata.sqlite');
    const withDatabase = <Result>(work: (database: BetterSqlite.Database) => Result): Result => {
      const database = new BetterSqlite(file);
      try {
        database.pragma('journal_mode = WAL');
        database.exec('CREATE TABLE IF NOT EXISTS line (text TEXT)');
        return work(database);
      } finally {
        database.close();
      }
    };
    const rows = (): readonly string[] =>
      withDatabase((database) => database.prepare<[], string>('SELECT text FROM line').pluck().all());
    const add = (...texts: readonly string[]): void =>
      withDatabase((database) => {
        const insert = database.prepare('INSERT INTO line VALUES (?)');
        database.transaction(() => texts.forEach((text) => insert.run(text)))();
      });
    return { copy: new MetadataCopy(bucket, key, file), file, add, rows };
  }

  async function openBucket(): Promise<Bucket> {
    const bucket = new Bucket(await newBucket('part/'));
    onTestFinished(() => bucket.close());
    return bucket;
  }

  test('gives another computer the published state, and sends only later changes', async () => {
    const bucket = await openBucket();
    const one = await computer(bucket);
    await one.copy.refresh();
    one.add(...Array.from({ length: 2_000 }, () => randomBytes(200).toString('hex')));
    await one.copy.publish();
    const sizes = async () => (await bucket.list('metadata/parts/')).map(({ size }) => size);
    const first = (await sizes()).reduce((sum, size) => sum + size, 0);
    one.add('one more');
    await one.copy.publish();
    const both = (await sizes()).reduce((sum, size) => sum + size, 0);
    expect(both - first).toBeLessThan(first / 20);
    one.add('never published');

    const two = await computer(bucket);
    await two.copy.refresh();
    expect(two.rows()).toEqual(one.rows().slice(0, -1));
    two.add('of two');
    await two.copy.publish();
    await one.copy.refresh();
    expect(one.rows()).toEqual(two.rows());
  });

  test('publishes nothing without changes, and keeps unpublished changes while no other computer publishes', async () => {
    const bucket = await openBucket();
    const one = await computer(bucket);
    one.add('a');
    await one.copy.publish();
    const before = await bucket.list('metadata/');
    await one.copy.publish();
    expect(await bucket.list('metadata/')).toEqual(before);
    one.add('b');
    await one.copy.refresh();
    expect(one.rows()).toEqual(['a', 'b']);
  });

  test('fails for the second of two computers, and leaves nothing of it', async () => {
    const bucket = await openBucket();
    const one = await computer(bucket);
    one.add('start');
    await one.copy.publish();
    const two = await computer(bucket);
    await two.copy.refresh();
    one.add('of one');
    two.add('of two');
    await one.copy.publish();
    const before = await bucket.list('metadata/');
    await expect(two.copy.publish()).rejects.toThrow(CopyOutdatedError);
    expect(await bucket.list('metadata/')).toEqual(before);
    await two.copy.refresh();
    expect(two.rows()).toEqual(['start', 'of one']);
  });

  test('serializes two sessions of one computer', async () => {
    const bucket = await openBucket();
    const one = await computer(bucket);
    one.add('start');
    await one.copy.publish();
    // Pauses the first one while it sends its changes.
    const { promise: isSending, resolve: sends } = Promise.withResolvers<void>();
    const { promise: mayContinue, resolve: resume } = Promise.withResolvers<void>();
    const slow = new Proxy(bucket, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return async (...parameters: unknown[]) => {
          if (name === 'put') {
            sends();
            await mayContinue;
          }
          return (await Reflect.apply(member, target, parameters)) as unknown;
        };
      },
    });
    one.add('of the run');
    const first = new MetadataCopy(slow, KEY, one.file).publish();
    await isSending;
    one.add('of the window');
    const second = one.copy.publish();
    resume();
    await Promise.all([first, second]);
    const two = await computer(bucket);
    await two.copy.refresh();
    expect(two.rows()).toEqual(['start', 'of the run', 'of the window']);
  });

  test('is rewritten after many changes, without leftovers', async () => {
    const bucket = await openBucket();
    const one = await computer(bucket);
    for (let index = 0; index < 12; index += 1) {
      one.add(randomBytes(20).toString('hex'));
      await one.copy.publish();
    }
    expect((await bucket.list('metadata/manifests/')).length).toBe(1);
    expect((await bucket.list('metadata/parts/')).length).toBeLessThan(12);
    const two = await computer(bucket);
    await two.copy.refresh();
    expect(two.rows()).toEqual(one.rows());
  });

  test('is refused if it is older than what this computer published, or sealed with another key', async () => {
    const bucket = await openBucket();
    const one = await computer(bucket);
    one.add('a');
    await one.copy.publish();
    const other = await computer(bucket, randomBytes(32));
    await expect(other.copy.refresh()).rejects.toThrow(CopyDamagedError);
    await bucket.delete((await bucket.list('metadata/manifests/')).map(({ name }) => name));
    await expect(one.copy.refresh()).rejects.toThrow(CopyOutdatedError);
    expect(one.rows()).toEqual(['a']);
  });
});
