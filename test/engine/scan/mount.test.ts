import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, onTestFinished } from 'vitest';
import { updateCatalog } from '../../../src/engine/backup/reading/update-catalog.ts';
import { Catalog } from '../../../src/engine/catalog/catalog.ts';
import { checkRoot } from '../../../src/engine/scan/source-check.ts';
import { WorkerPool } from '../../../src/engine/workers/pool.ts';
import { commitAll } from '../../helpers/catalog.ts';

/** True if this process may mount file systems: root, outside of most containers. */
function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-mount-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', folder]).status === 0;
  if (mounted) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true });
  return mounted;
}

interface Place {
  readonly root: string;
  readonly disk: string;
  mount(): void;
  unmount(): void;
  /** Scans and commits, as a complete run does. */
  backup(options?: { allowEmpty?: boolean; oneFileSystem?: boolean }): Promise<{ files: number; warnings: string[] }>;
}

function makePlace(inside: string): Place {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-mount-'));
  const root = join(folder, 'root');
  const disk = join(root, inside);
  mkdirSync(disk, { recursive: true });
  const catalog = new Catalog(join(folder, 'catalog.sqlite'));
  const pool = new WorkerPool(1);
  onTestFinished(async () => {
    spawnSync('umount', [disk]);
    catalog.close();
    await pool.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    root,
    disk,
    mount: () => {
      expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', disk]).status).toBe(0);
    },
    unmount: () => {
      expect(spawnSync('umount', [disk]).status).toBe(0);
    },
    backup: async ({ allowEmpty = false, oneFileSystem = false } = {}) => {
      const known = catalog.entries.findSet('set');
      const before = known && catalog.entries.knownRoots(known.setId).get(root);
      const roots = [checkRoot(root, before, allowEmpty)];
      const run = catalog.entries.beginRun('set');
      const set = { name: 'set', roots: [root], excludes: [], presets: [], oneFileSystem, privateNames: false };
      const request = { set, keyEnvelope: Buffer.alloc(0), allowEmpty };
      const observer = { onScanned: () => undefined, onRead: () => undefined };
      const result = await updateCatalog({
        request,
        roots: { present: roots, absent: [] },
        entries: catalog.entries,
        run,
        rootsDirectory: run.rootsDirectory,
        pool,
        observer,
        signal: undefined,
      });
      commitAll(catalog, run, { roots });
      return { files: result.counts.files, warnings: result.warnings.map((warning) => warning.reason) };
    },
  };
}

describe.skipIf(!canMount())('a file system that is not mounted', () => {
  test.each([['as the root'], ['below the root']])('%s stops the run unless the person accepts it', async (where) => {
    const place = makePlace(where === 'as the root' ? '.' : 'photos/archive');
    place.mount();
    writeFileSync(join(place.disk, 'picture'), 'x');
    expect(await place.backup()).toEqual({ files: 1, warnings: [] });
    place.unmount();
    expect(readdirSync(place.disk)).toEqual([]);
    await expect(place.backup()).rejects.toThrow('source_not_mounted');
    expect((await place.backup({ allowEmpty: true })).files).toBe(0);
  });

  test('stops the run even when its folder has other content', async () => {
    const place = makePlace('photos/archive');
    writeFileSync(join(place.disk, 'NOT MOUNTED'), 'a note for whoever wonders');
    place.mount();
    writeFileSync(join(place.disk, 'picture'), 'x');
    mkdirSync(join(place.disk, 'more'));
    expect(await place.backup()).toEqual({ files: 1, warnings: [] });
    place.unmount();
    await expect(place.backup()).rejects.toThrow('source_not_mounted');
    // Moving everything to another disk is allowed.
    writeFileSync(join(place.disk, 'picture'), 'x');
    expect((await place.backup()).files).toBe(2);
  });

  test('does not prevent emptying a plain folder', async () => {
    const place = makePlace('photos');
    writeFileSync(join(place.disk, 'picture'), 'x');
    expect((await place.backup()).files).toBe(1);
    rmSync(join(place.disk, 'picture'));
    expect((await place.backup()).files).toBe(0);
  });

  test('is excluded with a warning when a set is limited to one file system', async () => {
    const place = makePlace('photos');
    place.mount();
    writeFileSync(join(place.disk, 'picture'), 'x');
    expect(await place.backup({ oneFileSystem: true })).toEqual({ files: 0, warnings: ['other-file-system'] });
  });
});
