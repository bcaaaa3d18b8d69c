import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { DestinationFixture } from './destination-fixture.ts';

/** The bytes of all blobs of a destination: those of its packs without their tables (docs/repository.md). */
function blobBytesIn(destination: string): number {
  const packs = readdirSync(join(destination, 'packs'), { recursive: true, withFileTypes: true });
  return packs
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name)))
    .reduce((sum, pack) => sum + pack.length - pack.readUInt32BE(pack.length - 12) - 12, 0);
}

test('the figures tell what deduplication and what compression have saved', async () => {
  const fixture = new DestinationFixture();
  onTestFinished(() => fixture.close());
  const text = readFileSync(join(import.meta.dirname, '../../../../../package-lock.json'));
  const photo = randomBytes(2_000_000);
  fixture.write('text.json', text);
  for (let copy = 0; copy < 4; copy += 1) fixture.write(`photo-${copy}`, photo);
  await using host = await fixture.start();
  await fixture.setUp(host);
  const sent = await fixture.backUp(host);
  const { storage } = await host.until('the figures', ({ storage: figures }) => figures.compressedBytes !== undefined);

  const stored = blobBytesIn(fixture.at('backups'));
  expect(sent).toBe(stored);
  expect(storage.storedBytes).toBe(stored);
  const entries = readdirSync(fixture.at('files'), { recursive: true, withFileTypes: true });
  const read = entries
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  // Everything that was read is stored, or saved in one of the two ways.
  expect(storage.savedBytes! + storage.compressedBytes! + stored).toBe(read);
  // The tree and the key envelope are stored, too.
  expect(storage.savedBytes).toBeLessThanOrEqual(3 * photo.length);
  expect(storage.savedBytes).toBeGreaterThan(3 * photo.length - 65_536);
  // zstd saves about what gzip does.
  const compressible = text.length - gzipSync(text).length;
  expect(storage.compressedBytes).toBeGreaterThan(compressible * 0.8);
  expect(storage.compressedBytes).toBeLessThan(text.length);
});
