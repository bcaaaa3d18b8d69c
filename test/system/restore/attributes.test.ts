import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nativeFileSystem } from '../../../src/os/filesystem/native.ts';
import { readXattrsSync, writeXattrsSync, type Xattrs } from '../../../src/os/filesystem/xattrs.ts';
import type { RestorePool } from '../../../src/restore/tasks.ts';
import type { LocalRestoreRequest, RestoreReport } from '../../../src/restore/types.ts';
import { undoRestore } from '../../../src/restore/undo/undo-restore.ts';
import { writeFiles } from '../../../src/restore/write/write-files.ts';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { RestoreWorld } from '../../helpers/memory-service/restore-world.ts';
import { replacedFs, systemError } from '../../helpers/replaced-fs.ts';
import { InstantClock } from '../../unit/remote/instant-clock.ts';
import { compareTrees } from '../../helpers/tree/compare.ts';

const pool = new WorkerPool(1);
/** Writes in this thread, where system calls can be made to fail. */
const here = Object.create(pool) as WorkerPool;
here.run = ((...[name, input, transfer]: Parameters<RestorePool['run']>) =>
  name === 'writeFiles'
    ? Promise.resolve(writeFiles(input as never).value)
    : pool.run(name, input, transfer)) as WorkerPool['run'];

const isRoot = process.getuid?.() === 0;
const TIME = new Date('2024-02-03T04:05:06.789Z');

/** What was written is not newer than the end of its restore. */
const clock = new InstantClock(() => Date.now());

let world: RestoreWorld;
let records: string;
beforeEach(() => {
  world = new RestoreWorld(pool);
  records = join(world.folder, 'records');
  mkdirSync(records);
});
afterEach(() => world[Symbol.dispose]());
afterAll(() => pool.close());

const own = (name: string): string => join(world.source, name);
const restored = (name: string): string => join(world.target, 'source', name);

/** Six files, among them a large one and one with two names, a link and folders: nothing has the attributes of a new one. */
async function fill(): Promise<void> {
  mkdirSync(own('folder'));
  for (const name of ['a', 'b', 'folder/c']) writeFileSync(own(name), `of ${name}`);
  writeFileSync(own('large'), Buffer.alloc(9 * 2 ** 20, 'large'));
  linkSync(own('a'), own('second name'));
  symlinkSync('a', own('link'));
  for (const name of ['a', 'b', 'large', 'folder/c', 'folder']) {
    chmodSync(own(name), name === 'folder' ? 0o751 : 0o640);
    writeXattrsSync(own(name), { 'user.comment': Buffer.from('kept') });
    if (isRoot) chownSync(own(name), 1234, 1235);
    utimesSync(own(name), TIME, TIME);
  }
  lutimesSync(own('link'), TIME, TIME);
  utimesSync(world.source, TIME, TIME);
  await world.backup();
}

/** `user::rw-, user:1234:rw-, group::r--, mask::rw-, other::---` (acl(5), version 2 of the kernel's form). */
const ACCESS_LIST = Buffer.from(
  '02000000 01000600ffffffff 02000600d2040000 04000400ffffffff 10000600ffffffff 20000000ffffffff'.replaceAll(' ', ''),
  'hex',
);
/** `cap_net_raw+ep` (version 2 of capabilities(7)). */
const CAPABILITY = Buffer.from('0100000200200000000000000000000000000000', 'hex');

type Attribute = 'mode' | 'owner' | 'time' | 'xattr';

/** Has the calls fail that set an attribute, as on a full disk. */
function failing(attribute: Attribute, code = 'ENOSPC'): Disposable {
  const fail = (): never => {
    throw systemError(code);
  };
  if (attribute === 'mode')
    return replacedFs((original) => ({
      fchmodSync: fail,
      chmodSync: (path, mode) => (mode === 0o700 ? original.chmodSync(path, mode) : fail()),
    }));
  if (attribute === 'owner') return replacedFs(() => ({ fchownSync: fail, lchownSync: fail }));
  const native = nativeFileSystem()!;
  const { setTimes, setFileTimes, setXattr, lastError } = native;
  const calls = attribute === 'time' ? { setTimes: () => -1, setFileTimes: () => -1 } : { setXattr: () => -1 };
  Object.assign(native, { ...calls, lastError: () => code });
  return {
    [Symbol.dispose]: () => Object.assign(native, { setTimes, setFileTimes, setXattr, lastError }),
  };
}

function restore(request: Partial<LocalRestoreRequest> = {}): Promise<RestoreReport> {
  return world.restore(request, { dependencies: { pool: here, undoRecords: records, clock } });
}

function undo(): ReturnType<typeof undoRestore> {
  const { keys } = world.dependencies;
  return undoRestore({ records, clock, keys });
}

const namedBy = ({ warnings }: RestoreReport, reason: string): string[] =>
  warnings.filter((warning) => warning.reason === reason).map(({ path }) => path.slice(world.folder.length + 1));

const FILES = ['source/a', 'source/b', 'source/folder/c', 'source/large'];
const CASES = [
  ['mode', 'mode-not-restored', ['source', ...FILES, 'source/folder'], 'ENOSPC'],
  ['time', 'time-not-restored', ['source', ...FILES, 'source/folder', 'source/link'], 'ENOSPC'],
  ['xattr', 'attribute-not-restored', [...FILES, 'source/folder'], 'user.comment'],
  ...(isRoot
    ? ([['owner', 'owner-not-restored', ['source', ...FILES, 'source/folder', 'source/link'], 'ENOSPC']] as const)
    : []),
] as const;

describe.runIf(process.platform === 'linux')('attributes that cannot be set', () => {
  beforeEach(fill);

  test.each(CASES)('are counted and named, entry by entry (%s)', async (attribute, reason, paths, detail) => {
    using _failing = failing(attribute);
    const report = await restore();
    expect(report).toMatchObject({ failuresTotal: 0, attributesNotRestored: paths.length });
    expect(namedBy(report, reason).toSorted()).toEqual(paths.toSorted());
    expect(report.warnings.map((warning) => warning.detail)).toEqual(paths.map(() => detail));
  });

  test.each(CASES)(
    'are set when the same restore runs again, and nothing is fetched (%s)',
    async (attribute, reason) => {
      {
        using _failing = failing(attribute);
        await restore();
        world.service.downloads.splice(0);
        // It warns as often as it fails.
        const again = await restore();
        expect(namedBy(again, reason).length).toBeGreaterThan(4);
        expect(again).toMatchObject({ conflicts: [], filesResumed: 5, failuresTotal: 0 });
      }
      const [footer] = world.service.downloads.splice(0);
      expect(footer).toBeDefined();
      expect(await restore()).toMatchObject({ conflicts: [], filesResumed: 5, filesRestored: 5, warnings: [] });
      const tree = world.service.points[0]!.files.find((file) => file.path === '/.holdfast/tree')!.chunks;
      expect(world.service.downloads.filter((hash) => !tree.includes(hash))).toEqual([]);
      expect(await compareTrees(world.source, join(world.target, 'source'))).toEqual([]);
      expect(readdirSync(join(world.folder, 'scratch'))).toEqual([]);
    },
  );

  test.each(CASES)('are set by a restore that continues one with a missing file (%s)', async (attribute) => {
    const [lost] = world.service.points[0]!.files.find(({ path }) => path === own('b'))!.chunks;
    {
      using _failing = failing(attribute);
      world.service.tamper = (hash, bytes) => (hash === lost ? undefined : bytes);
      expect(await restore()).toMatchObject({ failures: [{ path: own('b') }] });
    }
    world.service.tamper = undefined;
    expect(await restore()).toMatchObject({ failures: [], conflicts: [], warnings: [] });
    expect(await compareTrees(world.source, join(world.target, 'source'))).toEqual([]);
  });

  test('that a person has changed meanwhile are those of the restore point again when it is continued', async () => {
    {
      using _failing = failing('mode');
      await restore();
    }
    for (const name of ['a', 'folder', 'large']) chmodSync(restored(name), 0o700);
    expect(await restore()).toMatchObject({ warnings: [], conflicts: [] });
    expect(await compareTrees(world.source, join(world.target, 'source'))).toEqual([]);
  });

  test('are not tried again where the file system has none, so that the restore is complete', async () => {
    using _failing = failing('mode', 'EPERM');
    expect((await restore()).attributesNotRestored).toBe(6);
    expect(readdirSync(join(world.folder, 'scratch'))).toEqual([]);
    await expect(restore()).rejects.toMatchObject({ code: 'target_conflict' });
  });

  test('lead to no further copy beside what was there', async () => {
    mkdirSync(restored('folder'), { recursive: true });
    for (const name of ['a', 'b', 'second name', 'link', 'large', 'folder/c']) writeFileSync(restored(name), 'mine');
    const request = { conflict: 'keep-both' } as const;
    {
      using _failing = failing('time');
      await restore(request);
    }
    const namesThere = (): string[] => readdirSync(world.target, { recursive: true, encoding: 'utf8' }).toSorted();
    const names = namesThere();
    expect(await restore(request)).toMatchObject({ filesResumed: 5, warnings: [] });
    expect(namesThere()).toEqual(names);
    const copies = names.filter((name) => name.includes('(restored '));
    expect(copies).toHaveLength(6);
    for (const name of copies) expect(lstatSync(join(world.target, name)).mtime).toEqual(TIME);
  });

  test('do not keep a file that was changed since from being a conflict', async () => {
    {
      using _failing = failing('time');
      await restore();
    }
    writeFileSync(restored('b'), 'OF b');
    const conflict = { code: 'target_conflict', details: { conflicts: [restored('b')], total: 1 } };
    await expect(restore()).rejects.toMatchObject(conflict);
    expect(readFileSync(restored('b'), 'utf8')).toBe('OF b');
  });

  test('of a file that was replaced in its original place are set whatever the choice is then', async () => {
    writeFileSync(own('b'), 'mine');
    chmodSync(own('b'), 0o600);
    {
      using _failing = failing('time');
      await restore({ to: null, conflict: 'overwrite' });
    }
    expect(await restore({ to: null, conflict: 'skip' })).toMatchObject({ warnings: [], attributesLeftTotal: 0 });
    expect(statSync(own('b')).mtime).toEqual(TIME);
  });

  test.each(['mode', 'time'] as const)('do not keep the restore from being undone (%s)', async (attribute) => {
    writeFileSync(own('b'), 'mine');
    chmodSync(own('b'), 0o600);
    rmSync(own('large'));
    chmodSync(own('a'), 0o604);
    const before = lstatSync(own('a'));
    {
      using _failing = failing(attribute);
      await restore({ to: null, conflict: 'overwrite' });
    }
    expect(await undo()).toMatchObject({ notUndone: [], putBack: 1, movedAside: 2 });
    expect([readFileSync(own('b'), 'utf8'), statSync(own('b')).mode & 0o777]).toEqual(['mine', 0o600]);
    expect([statSync(own('a')).mode, statSync(own('a')).mtimeMs]).toEqual([before.mode, before.mtimeMs]);
    expect(readdirSync(world.source)).not.toContain('large');
  });
});

describe.runIf(process.platform === 'linux')('attributes of what is in its original place already', () => {
  beforeEach(fill);

  test('are set with everything that is overwritten, also those of a file with several names, and undone', async () => {
    const changed = ['a', 'b', 'folder', 'large'];
    for (const name of changed) chmodSync(own(name), 0o600 + (name === 'folder' ? 0o100 : 0));
    utimesSync(own('a'), 5, 5);
    const report = await restore({ to: null, conflict: 'overwrite' });
    expect(report).toMatchObject({ filesUnchanged: 5, warnings: [], attributesLeft: [] });
    expect(changed.map((name) => statSync(own(name)).mode & 0o777)).toEqual([0o640, 0o640, 0o751, 0o640]);
    expect(statSync(own('second name')).mtime).toEqual(TIME);
    expect(await undo()).toMatchObject({ notUndone: [] });
    expect(changed.map((name) => statSync(own(name)).mode & 0o777)).toEqual([0o600, 0o600, 0o700, 0o600]);
    expect(statSync(own('second name')).mtimeMs).toBe(5000);
  });

  test('that give rights and came since are removed, those of programs stay, and an undo brings them back', async () => {
    const rights = { 'system.posix_acl_access': ACCESS_LIST };
    const given: readonly (readonly [string, Xattrs])[] = [
      ['b', rights],
      ['folder', { ...rights, 'system.posix_acl_default': ACCESS_LIST }],
      ...(isRoot ? [['large', { 'security.capability': CAPABILITY }] as const] : []),
    ];
    for (const [name, xattrs] of given) {
      expect(writeXattrsSync(own(name), { ...xattrs, 'user.since': Buffer.from('then') })).toEqual([]);
    }
    const rightsNow = () =>
      given.map(([name, xattrs]) => Object.keys(readXattrsSync(own(name))!).filter((key) => key in xattrs).length);
    const all = rightsNow();

    const planned = await restore({ to: null, dryRun: true });
    expect(planned.attributesLeft.toSorted()).toEqual(given.map(([name]) => own(name)).toSorted());
    expect(await restore({ to: null, conflict: 'overwrite' })).toMatchObject({ warnings: [], attributesLeft: [] });
    expect(rightsNow()).toEqual(given.map(() => 0));
    expect(readXattrsSync(own('b'))).toMatchObject({
      'user.since': expect.anything(),
      'user.comment': expect.anything(),
    });
    expect(await undo()).toMatchObject({ notUndone: [] });
    expect(rightsNow()).toEqual(all);
  });

  test('are named by an undo that cannot set them, and set by the next one', async () => {
    chmodSync(own('b'), 0o600);
    chmodSync(own('folder'), 0o710);
    await restore({ to: null, conflict: 'overwrite' });
    {
      using _failing = failing('mode');
      const { notUndone } = await undo();
      expect(notUndone.map(({ path, reason }) => `${path} ${reason}`).toSorted()).toEqual([
        `${own('b')} unset`,
        `${own('folder')} unset`,
      ]);
    }
    expect(await undo()).toMatchObject({ notUndone: [] });
    expect(['b', 'folder'].map((name) => statSync(own(name)).mode & 0o777)).toEqual([0o600, 0o710]);
  });

  test('are set on a file that its owner may not read', async () => {
    chmodSync(own('b'), 0o000);
    let denied = 0;
    // As for a process that is not root. A handle that needs no right has the flag O_PATH.
    using _fs = replacedFs((original) => ({
      openSync: (path, flags, mode) => {
        const needsRight = typeof flags === 'number' && (flags & 0x200000) === 0;
        if (!needsRight || !String(path).endsWith('/b') || (statSync(own('b')).mode & 0o400) !== 0)
          return original.openSync(path, flags, mode);
        denied += 1;
        throw systemError('EACCES');
      },
    }));
    expect(await restore({ to: null, conflict: 'overwrite' })).toMatchObject({ failures: [], warnings: [] });
    expect(denied).toBeGreaterThan(0);
    expect(statSync(own('b')).mode & 0o777).toBe(0o640);
  });

  test('of the version before are kept, or it is not replaced', async () => {
    writeFileSync(own('b'), 'mine');
    chmodSync(own('b'), 0o604);
    // A file system without hard links, on which the version before is copied.
    using _links = replacedFs(() => ({
      linkSync: () => {
        throw systemError('EPERM');
      },
    }));
    {
      using _failing = failing('mode');
      const report = await restore({ to: null, conflict: 'overwrite' });
      expect(report.failures).toMatchObject([{ path: own('b'), reason: 'target_full', detail: 'ENOSPC' }]);
    }
    expect([readFileSync(own('b'), 'utf8'), statSync(own('b')).mode & 0o777]).toEqual(['mine', 0o604]);
    const { keptIn } = await restore({ to: null, conflict: 'overwrite' });
    const kept = readdirSync(keptIn[0]!, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('b'))!;
    expect(statSync(join(keptIn[0]!, kept)).mode & 0o777).toBe(0o604);
  });

  test('stay where a file has a name that the restore does not know, and the file is named', async () => {
    linkSync(own('a'), join(world.folder, 'elsewhere'));
    chmodSync(own('a'), 0o600);
    const report = await restore({ to: null, conflict: 'overwrite' });
    expect(namedBy(report, 'attributes-shared')).toEqual(['source/a', 'source/second name']);
    expect(statSync(own('a')).mode & 0o777).toBe(0o600);
  });

  test.each([undefined, 'skip', 'keep-both'] as const)(
    'stay and are named if nothing is overwritten (%s)',
    async (conflict) => {
      for (const name of ['b', 'folder']) chmodSync(own(name), 0o700);
      utimesSync(own('large'), 5, 5);
      const request = { to: null, ...(conflict === undefined ? {} : { conflict }) };
      const left = { attributesLeft: [own('b'), own('folder'), own('large')].toSorted(), attributesLeftTotal: 3 };
      for (const dryRun of [true, false]) {
        const report = await restore({ ...request, dryRun });
        expect({ ...report, attributesLeft: report.attributesLeft.toSorted() }).toMatchObject({
          ...left,
          warnings: [],
        });
      }
      expect(statSync(own('b')).mode & 0o777).toBe(0o700);
      expect(statSync(own('large')).mtimeMs).toBe(5000);
    },
  );

  test('are not those of a folder whose list of names has changed', async () => {
    writeFileSync(own('new'), 'x');
    expect(await restore({ to: null })).toMatchObject({ attributesLeftTotal: 0 });
  });
});

describe.runIf(process.platform === 'linux')('a restore that goes on', () => {
  test('leaves folders their modes when it stops at a conflict', async () => {
    mkdirSync(own('folder/closed'), { recursive: true });
    writeFileSync(own('folder/closed/file'), 'x');
    writeFileSync(own('b'), 'of b');
    for (const name of ['folder/closed', 'folder']) chmodSync(own(name), 0o555);
    await world.backup();
    const [lost] = world.service.points[0]!.files.find(({ path }) => path === own('b'))!.chunks;
    world.service.tamper = (hash, bytes) => (hash === lost ? undefined : bytes);
    await restore();
    world.service.tamper = undefined;
    writeFileSync(restored('b'), 'mine');
    await expect(restore()).rejects.toMatchObject({ code: 'target_conflict' });
    expect(['folder', 'folder/closed'].map((name) => statSync(restored(name)).mode & 0o777)).toEqual([0o555, 0o555]);
    rmSync(restored('b'));
    expect(await restore()).toMatchObject({ failures: [] });
    expect(await compareTrees(world.source, join(world.target, 'source'))).toEqual([]);
    for (const name of ['folder/closed', 'folder']) for (const at of [own(name), restored(name)]) chmodSync(at, 0o755);
  });
});
