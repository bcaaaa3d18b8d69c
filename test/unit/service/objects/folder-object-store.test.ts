import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { OBJECTS_FOLDER, openFolderObjectStore } from '../../../../src/service/objects/folder/folder-object-store.ts';
import type { KeyedBlob } from '../../../../src/service/objects/object-store.ts';
import { systemError } from '../../../helpers/replaced-fs.ts';
import { temporaryDirectory } from '../harness.ts';
import { recordedSyncs } from './recorded-syncs.ts';

const LARGE = 200_000;

function blob(chunkId: number): KeyedBlob {
  const digest = createHash('sha256').update(`${chunkId}`).digest('hex');
  return { key: { accountId: 'acc', chunkId, digest, size: LARGE }, bytes: randomBytes(LARGE) };
}

async function open() {
  const directory = await temporaryDirectory();
  const store = openFolderObjectStore(directory);
  onTestFinished(() => store.close());
  const fileOf = ({ key }: KeyedBlob): string =>
    join(directory, OBJECTS_FOLDER, 'acc', key.digest.slice(0, 2), `${key.digest}.${key.chunkId}`);
  return { directory, store, fileOf };
}

describe('a flush of large blobs', () => {
  test.each(['put', 'received'])('makes those that were %s durable with every folder above them', async (way) => {
    const { directory, store, fileOf } = await open();
    const one = blob(1);
    if (way === 'put') await store.put([one]);
    else await (await store.receive(one.key, [one.bytes] as unknown as AsyncIterable<Uint8Array>)).keep();
    using syncs = recordedSyncs();
    await store.flush();
    const folders = ['', 'acc', join('acc', one.key.digest.slice(0, 2))];
    const expected = [fileOf(one), ...folders.map((folder) => join(directory, OBJECTS_FOLDER, folder))];
    for (const path of expected) expect(syncs.events).toContain(`sync ${path.replace(/\/$/, '')}`);
    expect(syncs.events[0]).toBe(`sync ${fileOf(one)}`);
  });

  test('syncs nothing twice', async () => {
    const { store } = await open();
    await store.put([blob(1)]);
    await store.flush();
    using syncs = recordedSyncs();
    await store.flush();
    expect(syncs.events).toEqual([]);
  });

  test.each(['the file', 'its folder'])(
    'fails when %s cannot be synced, and the next one tries again',
    async (what) => {
      const { store, fileOf } = await open();
      const one = blob(1);
      await store.put([one]);
      const failing = what === 'the file' ? fileOf(one) : join(fileOf(one), '..');
      {
        using _syncs = recordedSyncs((path) => {
          if (path === failing) throw systemError('EIO');
        });
        await expect(store.flush()).rejects.toMatchObject({ code: 'EIO' });
      }
      using syncs = recordedSyncs();
      await store.flush();
      expect(syncs.events).toEqual(expect.arrayContaining([`sync ${fileOf(one)}`, `sync ${join(fileOf(one), '..')}`]));
    },
  );
});
