import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { reportOf, startRestore } from '../../helpers/memory-service/child-process.ts';
import { RestoreWorld } from '../../helpers/memory-service/restore-world.ts';
import { compareTrees } from '../../helpers/tree/compare.ts';

const pool = new WorkerPool(2);
let world: RestoreWorld;
beforeEach(() => {
  world = new RestoreWorld(pool);
});
afterEach(() => world[Symbol.dispose]());
afterAll(() => pool.close());

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const canMount = isRoot && canMountTmpfs();

/** In some containers root must not mount. */
function canMountTmpfs(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-mount-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', folder]).status === 0;
  if (mounted) execFileSync('umount', [folder]);
  rmSync(folder, { recursive: true });
  return mounted;
}

/** Runs with a small file system mounted on a folder. */
async function withMount(options: string, run: (folder: string) => Promise<void>): Promise<void> {
  const folder = join(world.folder, 'mounted');
  mkdirSync(folder);
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
  try {
    await run(folder);
  } finally {
    execFileSync('umount', [folder]);
  }
}

describe('restore target', () => {
  beforeEach(async () => {
    writeFileSync(join(world.source, 'file'), 'text');
    await world.backup();
  });

  test.each(['', '/restored', '/not/there yet'])(
    'is refused inside a source, also through links (%s)',
    async (below) => {
      const link = join(world.folder, 'link to source');
      symlinkSync(world.source, link);
      for (const to of [world.source + below, link + below]) {
        const refused = world.restore({ to, sourceRoots: ['/elsewhere', world.source] });
        await expect(refused).rejects.toMatchObject({
          code: 'target_inside_source',
          details: { source: world.source },
        });
      }
      expect(readdirSync(world.source)).toEqual(['file']);
    },
  );

  test('may be anywhere when a whole disk is backed up', async () => {
    const to = join(world.folder, 'back');
    expect(await world.restore({ to, sourceRoots: ['/'] })).toMatchObject({ filesRestored: 1, failures: [] });
    const refused = world.restore({ to: world.source, sourceRoots: ['/', world.source] });
    await expect(refused).rejects.toMatchObject({ code: 'target_inside_source', details: { source: world.source } });
  });

  test.runIf(canMount)('is refused by a dry run when it is read-only', async () => {
    await withMount('ro', async (folder) => {
      const refused = { code: 'target_unwritable', details: { reason: 'EROFS' } };
      await expect(world.restore({ to: join(folder, 'in'), dryRun: true })).rejects.toMatchObject(refused);
      await expect(world.restore({ to: folder, dryRun: true })).rejects.toMatchObject(refused);
    });
    expect(readdirSync(join(world.folder, 'scratch'))).toEqual([]);
  });

  test('may be beside a source whose name is a prefix of its own', async () => {
    const report = await world.restore({ to: `${world.source} restored`, sourceRoots: [world.source] });
    expect(report.filesRestored).toBe(1);
  });

  test.each([
    ['a file', 'a file'],
    ['below a file', 'a file/below'],
  ])('is refused when it is %s', async (_name, to) => {
    writeFileSync(join(world.folder, 'a file'), '');
    const refused = world.restore({ to: join(world.folder, to) });
    await expect(refused).rejects.toMatchObject({ code: 'target_unwritable', details: { reason: 'ENOTDIR' } });
  });

  test('is refused when it is relative', async () => {
    await expect(world.restore({ to: 'somewhere' })).rejects.toMatchObject({ code: 'usage' });
  });

  test.runIf(canMount)('is refused when it is read-only', async () => {
    await withMount('ro', async (folder) => {
      const refused = world.restore({ to: folder });
      await expect(refused).rejects.toMatchObject({ code: 'target_unwritable', details: { reason: 'EROFS' } });
    });
  });
});

describe.runIf(canMount)('restore to a full disk', () => {
  test('is refused before anything is written when there is too little space', async () => {
    writeFileSync(join(world.source, 'large'), Buffer.alloc(3 * 2 ** 20, 'x'));
    await world.backup();
    await withMount('size=2m', async (folder) => {
      await expect(world.restore({ to: folder })).rejects.toMatchObject({
        code: 'target_full',
        details: { needed: 3 * 2 ** 20, target: folder },
      });
      expect(readdirSync(folder)).toEqual([]);
    });
  });

  test.each([
    ['small files', 40, 100_000],
    ['large files', 3, 10 * 2 ** 20],
  ])('stops and names all missing files when the disk fills up in the middle (%s)', async (_name, count, size) => {
    for (let index = 0; index < count; index += 1) {
      writeFileSync(join(world.source, `file ${String(index).padStart(3, '0')}`), Buffer.alloc(size, `${index} `));
    }
    await world.backup();
    const room = Math.ceil((count * size * 1.2) / 4096) * 4096;
    await withMount(`size=${room}`, async (folder) => {
      // Something else takes the space after the check.
      let calls = 0;
      world.service.beforeDownload = () => {
        calls += 1;
        // The footer and the pieces of the tree come first.
        if (calls === 3) writeFileSync(join(folder, 'somebody else'), Buffer.alloc(Math.ceil(count * size * 0.6)));
      };
      const report = await world.restore({ to: folder });
      expect(report.stoppedBy).toBe('target_full');
      expect(new Set(report.failures.map((failure) => failure.reason))).toEqual(new Set(['target_full']));
      const there = readdirSync(join(folder, 'source'));
      const missing = report.failures.map((failure) => failure.path.slice(world.source.length + 1));
      expect([...there, ...missing].sort()).toEqual(readdirSync(world.source).sort());
      for (const name of there) {
        expect(readFileSync(join(folder, 'source', name)).equals(readFileSync(join(world.source, name)))).toBe(true);
      }
      world.service.beforeDownload = undefined;
      rmSync(join(folder, 'somebody else'));
      const again = await world.restore({ to: folder });
      expect(again).toMatchObject({ failures: [], filesResumed: there.length, filesRestored: count });
      expect(await compareTrees(world.source, join(folder, 'source'))).toEqual([]);
    });
  });
});

/** True if another user can run this checkout. */
const nobodyCanRun =
  isRoot &&
  spawnSync(process.execPath, ['--version'], { uid: NOBODY, gid: NOBODY, cwd: import.meta.dirname }).status === 0;

describe.runIf(nobodyCanRun)('restore without root privileges', () => {
  function asNobody(to: string): Promise<Record<string, unknown>> {
    const stored = join(world.folder, 'stored');
    const scratch = join(world.folder, 'scratch of nobody');
    for (const folder of [stored, scratch]) mkdirSync(folder, { recursive: true });
    world.service.save(stored);
    chmodSync(world.folder, 0o755);
    chownSync(scratch, NOBODY, NOBODY);
    return reportOf(startRestore([stored, scratch, to], { uid: NOBODY, gid: NOBODY }));
  }

  test('skips ownership with one note and restores everything else', async () => {
    for (let index = 0; index < 20; index += 1) writeFileSync(join(world.source, `file ${index}`), String(index));
    const closed = join(world.source, 'read-only');
    mkdirSync(closed);
    writeFileSync(join(closed, 'inside'), 'x', { mode: 0o400 });
    chmodSync(closed, 0o555);
    await world.backup();
    mkdirSync(world.target);
    chownSync(world.target, NOBODY, NOBODY);
    const report = await asNobody(world.target);
    expect(report).toMatchObject({ filesRestored: 21, failures: [], warnings: [], notes: ['ownership-not-restored'] });
    expect(await compareTrees(world.source, join(world.target, 'source'), { ignoreOwner: true })).toEqual([]);
    expect(statSync(join(world.target, 'source', 'file 0')).uid).toBe(NOBODY);
  });

  test('is refused when the target is not writable', async () => {
    writeFileSync(join(world.source, 'file'), 'x');
    await world.backup();
    mkdirSync(world.target, { mode: 0o755 });
    expect(await asNobody(world.target)).toEqual({ error: 'target_unwritable' });
    expect(readdirSync(world.target)).toEqual([]);
  });
});
