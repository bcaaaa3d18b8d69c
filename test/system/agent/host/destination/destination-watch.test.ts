import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DestinationWatch } from '../../../../../src/agent/host/destination/destination-watch.ts';
import { StateChanges } from '../../../../../src/agent/host/state-changes.ts';
import { DESCRIPTION_FILE } from '../../../../../src/format/repository/file-names.ts';
import { replacedFsPromises } from '../../../../helpers/replaced-fs.ts';

let folder: string;
let directory: string;
let watch: DestinationWatch;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-watch-'));
  directory = join(folder, 'backups');
  mkdirSync(directory);
  mkdirSync(join(folder, 'files'));
  writeFileSync(join(directory, DESCRIPTION_FILE), '');
  watch = new DestinationWatch(
    () => ({ kind: 'folder', directory }),
    () => [join(folder, 'files')],
    new StateChanges(),
  );
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

async function untilCompared(): Promise<void> {
  await expect.poll(() => watch.status.isOnSourceDisk).toBe(true);
}

describe('a destination on the disk of the files', () => {
  test('is still known to be there after it once did not respond in time', async () => {
    await watch.check();
    await untilCompared();
    const response = Promise.withResolvers<void>();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    using _slow = replacedFsPromises(({ readdir }) => ({
      readdir: (async (...words: Parameters<typeof readdir>) => {
        await response.promise;
        return readdir(...words);
      }) as typeof readdir,
    }));
    const checked = watch.check();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await checked).toEqual({ isPresent: false, freeBytes: undefined });
    vi.useRealTimers();
    response.resolve();
    await expect.poll(() => watch.status.isPresent).toBe(true);
    await untilCompared();
  });

  test('is compared anew after it was away', async () => {
    await watch.check();
    await untilCompared();
    rmSync(join(directory, DESCRIPTION_FILE));
    const before = Date.now();
    // Nobody can have unplugged that disk.
    const { missingAt, ...status } = await watch.check();
    expect(status).toEqual({ isPresent: false, freeBytes: undefined, isOnSourceDisk: true });
    expect(missingAt).toBeGreaterThanOrEqual(before);
    expect(missingAt).toBeLessThanOrEqual(Date.now());
    writeFileSync(join(directory, DESCRIPTION_FILE), '');
    await watch.check();
    await untilCompared();
  });
});
