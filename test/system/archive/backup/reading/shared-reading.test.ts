import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../../src/base/clock.ts';
import { SharedReading } from '../../../../../src/archive/backup/reading/shared-reading.ts';
import { Catalog } from '../../../../../src/catalog/catalog.ts';
import { deriveKeys } from '../../../../../src/format/crypto/keys.ts';
import { WorkerPool } from '../../../../../src/workers/pool.ts';

const pool = new WorkerPool(1);
let folder: string;
let source: string;
let catalog: Catalog;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-reading-'));
  source = join(folder, 'source');
  mkdirSync(source);
  writeFileSync(join(source, 'file'), 'data');
  catalog = new Catalog(join(folder, 'catalog.sqlite'));
});
afterEach(() => {
  catalog.close();
  rmSync(folder, { recursive: true, force: true });
});
afterAll(() => pool.close());

/** Reads the set. @param during is called while it is scanned */
async function read(during: () => void): Promise<SharedReading> {
  const options = { excludes: [], presets: [], oneFileSystem: false, privateNames: false };
  const request = { set: { name: 'set', roots: [source], ...options }, keyEnvelope: new Uint8Array() };
  const keys = deriveKeys(Buffer.alloc(32, 7));
  const dependencies = { catalog, pool, keys, clock: systemClock, scratch: folder };
  const reading = new SharedReading(request, dependencies, { targets: 1, signal: undefined });
  reading.checkRoots();
  reading.done.catch(() => undefined);
  let isFirst = true;
  const onScanned = (): void => {
    if (isFirst) during();
    isFirst = false;
  };
  await reading.read({ onScanned, onRead: () => undefined });
  return reading;
}

test('copies that a killed run has left are removed before anything is read', async () => {
  const left = join(folder, 'databases-killed');
  mkdirSync(join(left, 'copy-1'), { recursive: true });
  writeFileSync(join(left, 'copy-1/app.db'), 'copy');
  let isGone = false;
  const reading = await read(() => (isGone = !existsSync(left)));
  await reading.done;
  expect(isGone).toBe(true);
  expect(existsSync(join(folder, 'catalog.sqlite'))).toBe(true);
});

describe('the sources of a set', () => {
  test('are read when they stay', async () => {
    const reading = await read(() => undefined);
    expect((await reading.done).update.counts.files).toBe(1);
  });

  test.each([
    ['disappear', () => renameSync(source, join(folder, 'away'))],
    [
      'are replaced by an empty folder',
      () => {
        renameSync(source, join(folder, 'away'));
        mkdirSync(source);
      },
    ],
  ])('are refused when they %s during the scan', async (_name, leave) => {
    await expect((await read(leave)).done).rejects.toMatchObject({ code: 'source_missing' });
  });
});
