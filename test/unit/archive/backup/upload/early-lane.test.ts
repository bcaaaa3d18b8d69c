import { describe, expect, test } from 'vitest';
import { EarlyLane } from '../../../../../src/archive/backup/upload/early-lane.ts';
import type { NewBlobs, SealedBlob } from '../../../../../src/remote/ports.ts';
import { MemoryService } from '../../../../helpers/memory-service/memory-service.ts';

const MIB = 2 ** 20;

/** Opens a lane to a service that has stored every blob whose hash begins with `old`. */
function openLane(): EarlyLane {
  const service = new MemoryService();
  service.offered = new Set(['backup.compression', 'backup.open']);
  const upload = (_session: string, blobs: readonly SealedBlob[]): Promise<NewBlobs> => {
    const added = blobs.filter(({ hash }) => !hash.startsWith('old'));
    return Promise.resolve({ blobs: added.length, bytes: 0, plaintextBytes: 0 });
  };
  return new EarlyLane({
    service,
    uploader: { upload, concurrency: 1 },
    clock: { now: () => 0, sleep: () => Promise.resolve() },
    deviceId: 'device',
    backupSet: 'set',
    observer: { onUploaded: () => undefined },
    signal: undefined,
  });
}

function blobs(names: readonly string[], size: number): readonly SealedBlob[] {
  return names.map((hash) => ({ hash, size, bytes: new Uint8Array(1), kind: 'data' }));
}

const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('the sample of stored chunks', () => {
  test('is empty when everything was new', async () => {
    const lane = openLane();
    await lane.send(blobs(numbered('new', 50), 100), '/a');
    expect(lane.storedSample).toEqual([]);
  });

  test('has at most 8 chunks and 8 MiB', async () => {
    const lane = openLane();
    await lane.send(blobs(numbered('old', 50), 100), '/a');
    expect(new Set(lane.storedSample).size).toBe(8);
    const large = openLane();
    await large.send(blobs(numbered('old', 50), 3 * MIB), '/a');
    expect(new Set(large.storedSample).size).toBe(2);
  });

  test('has each chunk with the same probability', async () => {
    const drawn = new Set<string>();
    for (let round = 0; round < 400; round += 1) {
      const lane = openLane();
      for (const name of numbered('old', 20)) await lane.send(blobs([name], 100), '/a');
      for (const hash of lane.storedSample) drawn.add(hash);
    }
    expect([...drawn].toSorted()).toEqual(numbered('old', 20).toSorted());
  });
});
