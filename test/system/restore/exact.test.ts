import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { undoRestore } from '../../../src/restore/undo/undo-restore.ts';
import { Exclusion } from '../../../src/archive/scan/exclusion.ts';
import { FOOTER_WARNING_BYTES } from '../../../src/format/tree/footer.ts';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { TREE_PATH } from '../../../src/protocol/path.ts';
import { bindFolder, CAN_MOUNT, unmountAll } from '../../helpers/mount.ts';
import { RestoreWorld } from '../../helpers/memory-service/restore-world.ts';

const pool = new WorkerPool(2);
let world: RestoreWorld;
beforeEach(async () => {
  world = new RestoreWorld(pool);
  writeFileSync(join(world.source, 'one'), 'one');
  await world.backup();
  writeFileSync(join(world.source, 'new'), 'new');
});
afterEach(() => world[Symbol.dispose]());
afterAll(() => pool.close());

const exact = () =>
  ({ to: null, exact: true, rules: { roots: [world.source], exclusion: new Exclusion([], [], []) } }) as const;

function chunkOf(name: string): string {
  const files = world.service.points.at(-1)!.files;
  return files.find(({ path }) => path === join(world.source, name))!.chunks[0]!;
}

describe('an exact restore', () => {
  test('moves nothing away if no tree says what existed then', async () => {
    world.service.rewrite = (files) => files.filter(({ path }) => path !== TREE_PATH);
    const request = { ...exact(), acceptUnverified: true };
    await expect(world.restore(request)).rejects.toMatchObject({
      code: 'tree_invalid',
      details: { reason: 'incomplete' },
    });
    expect(readFileSync(join(world.source, 'new'), 'utf8')).toBe('new');
  });

  test('is refused where it is not known what the set leaves out', async () => {
    const refused = { code: 'usage', details: { problem: 'exact-without-rules' } };
    await expect(world.restore({ ...exact(), rules: undefined })).rejects.toMatchObject(refused);
    await expect(world.restore({ ...exact(), to: world.target })).rejects.toMatchObject(refused);
  });

  test('leaves what the backup could not read', async () => {
    execFileSync('mkfifo', [join(world.source, 'unread')]);
    rmSync(join(world.source, 'new'));
    await world.backup();
    rmSync(join(world.source, 'unread'));
    for (const name of ['unread', 'later']) writeFileSync(join(world.source, name), name);
    await world.restore(exact());
    expect(readdirSync(world.source).toSorted()).toEqual(['one', 'unread']);
  });

  test('leaves everything in a folder that was away during the backup', async () => {
    const [disk, optional] = [join(world.folder, 'disk'), join(world.folder, 'optional')];
    const set = { roots: [world.source, disk, optional], optionalRoots: [optional] };
    for (const root of [disk, optional]) {
      mkdirSync(root);
      writeFileSync(join(root, 'a'), 'a');
    }
    await world.backup(set);
    for (const root of [disk, optional]) {
      writeFileSync(join(root, 'existed'), 'existed');
      renameSync(root, `${root}-away`);
    }
    await world.backup(set);
    for (const root of [disk, optional]) renameSync(`${root}-away`, root);
    writeFileSync(join(world.source, 'later'), 'later');
    const rules = { roots: set.roots, exclusion: new Exclusion([], [], []) };
    expect((await world.restore({ ...exact(), rules })).surplus?.paths).toEqual([join(world.source, 'later')]);
    for (const root of [disk, optional]) expect(readdirSync(root)).toEqual(['a', 'existed']);
  });

  test('is refused if the tree does not name everything that the backup could not read', async () => {
    const long = 'x'.repeat(200);
    const count = Math.ceil(FOOTER_WARNING_BYTES / 200);
    const names = Array.from({ length: count }, (_, index) => join(world.source, `${long}${index}`));
    execFileSync('mkfifo', names);
    const { restorePoint } = await world.backup();
    await expect(world.restore(exact())).rejects.toMatchObject({
      code: 'usage',
      details: { problem: 'exact-unread', restorePoint },
    });
  });

  test('moves nothing away if a file could not be restored', async () => {
    world.service.blobs.delete(chunkOf('one'));
    rmSync(join(world.source, 'one'));
    const report = await world.restore(exact());
    expect(report).toMatchObject({ filesFailed: 1, surplus: { files: 0, entries: 0, paths: [] }, keptIn: [] });
    expect(readFileSync(join(world.source, 'new'), 'utf8')).toBe('new');
  });

  test('leaves what the ignore file of that time had left out, although the present one does not', async () => {
    const ignoreFile = join(world.source, '.holdfastignore');
    mkdirSync(join(world.source, 'project'));
    writeFileSync(ignoreFile, 'cache\n*.tmp\n');
    for (const name of ['cache', 'a.tmp']) writeFileSync(join(world.source, 'project', name), 'never backed up');
    rmSync(join(world.source, 'new'));
    await world.backup();
    writeFileSync(ignoreFile, '');
    writeFileSync(join(world.source, 'project', 'later'), 'later');
    mkdirSync(join(world.source, 'folder'));
    for (const name of ['b.tmp', 'later']) writeFileSync(join(world.source, 'folder', name), name);
    const report = await world.restore(exact());
    expect(report.surplus?.paths).toEqual(['folder/later', 'project/later'].map((name) => join(world.source, name)));
    expect(report.surplus).toMatchObject({ files: 2, entries: 2, bytes: 10 });
    expect(readdirSync(join(world.source, 'project')).toSorted()).toEqual(['a.tmp', 'cache']);
    expect(readdirSync(join(world.source, 'folder'))).toEqual(['b.tmp']);
    expect(readFileSync(ignoreFile, 'utf8')).toBe('cache\n*.tmp\n');
  });

  test('leaves what the present ignore file leaves out, although that of the time did not', async () => {
    const ignoreFile = join(world.source, '.holdfastignore');
    writeFileSync(ignoreFile, '');
    rmSync(join(world.source, 'new'));
    await world.backup();
    writeFileSync(ignoreFile, 'cache\n');
    mkdirSync(join(world.source, 'folder'));
    for (const name of ['cache', 'later']) writeFileSync(join(world.source, 'folder', name), name);
    const report = await world.restore(exact());
    expect(report.surplus?.paths).toEqual([join(world.source, 'folder', 'later')]);
    expect(readdirSync(join(world.source, 'folder'))).toEqual(['cache']);
  });

  test('counts and names only what was moved', async () => {
    const other = join(world.source, 'other');
    writeFileSync(other, 'other');
    rmSync(join(world.source, 'one'));
    world.service.beforeDownload = (hashes) => {
      if (hashes.includes(chunkOf('one'))) rmSync(other);
    };
    expect((await world.restore({ ...exact(), dryRun: true })).surplus).toMatchObject({ files: 2, entries: 2 });
    expect((await world.restore(exact())).surplus).toEqual({
      files: 1,
      bytes: 3,
      entries: 1,
      paths: [join(world.source, 'new')],
    });
  });

  test('leaves a folder in the place of a file if something in it has to stay', async () => {
    const one = join(world.source, 'one');
    rmSync(one);
    mkdirSync(join(one, 'own'), { recursive: true });
    writeFileSync(join(one, 'own', 'pack'), 'pack');
    const kept = { rules: { roots: [world.source], exclusion: new Exclusion([], [], [join(one, 'own')]) } };
    for (const request of [{ ...exact(), ...kept }, { to: null, conflict: 'overwrite', ...kept } as const]) {
      const report = await world.restore(request);
      expect(report.failures).toMatchObject([{ path: one, reason: 'target_unwritable', detail: 'EISDIR' }]);
      expect(readdirSync(one)).toEqual(['own']);
    }
    expect(await world.restore(exact())).toMatchObject({ filesRestored: 1, failuresTotal: 0 });
    expect(readFileSync(one, 'utf8')).toBe('one');
  });

  test('replaces what has changed without another choice, and is undone as a whole', async () => {
    writeFileSync(join(world.source, 'one'), 'changed');
    const undoRecords = join(world.folder, 'undo');
    mkdirSync(undoRecords);
    const report = await world.restore(exact(), { dependencies: { undoRecords } });
    expect(report).toMatchObject({ filesRestored: 1, surplus: { files: 1, bytes: 3, entries: 1 } });
    expect(readFileSync(join(world.source, 'one'), 'utf8')).toBe('one');
    expect(existsSync(join(world.source, 'new'))).toBe(false);
    const { clock, dependencies } = world;
    const { keys } = dependencies;
    expect(await undoRestore({ records: undoRecords, clock, keys })).toMatchObject({
      putBack: 2,
      notUndoneTotal: 0,
    });
    expect(readFileSync(join(world.source, 'one'), 'utf8')).toBe('changed');
    expect(readFileSync(join(world.source, 'new'), 'utf8')).toBe('new');
  });
});

/** Simulates the disks of macOS and Windows by a bind mount: the folder has two spellings. */
describe.skipIf(!CAN_MOUNT)('an exact restore where two names of the set are one', () => {
  const at = (...names: readonly string[]): string => join(world.source, 'data', ...names);

  beforeEach(async () => {
    for (const name of ['one', 'new']) rmSync(join(world.source, name));
    mkdirSync(at('Docs'), { recursive: true });
    mkdirSync(at('docs'));
    for (const [name, text] of Object.entries({ Readme: 'upper', readme: 'lower', 'Docs/a': 'A', 'docs/A': 'a' }))
      writeFileSync(at(name), text);
    symlinkSync('upper', at('Link'));
    symlinkSync('lower', at('link'));
    await world.backup();
    for (const name of readdirSync(at())) rmSync(at(name), { recursive: true });
    mkdirSync(join(world.source, 'DATA'));
    bindFolder(at(), join(world.source, 'DATA'));
  });
  afterEach(() => unmountAll(world.folder));

  const contents = (): readonly string[] =>
    readdirSync(at(), { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return entry.isFile() ? readFileSync(path, 'utf8') : readlinkSync(path);
      })
      .toSorted();

  test.each(['exact', 'overwrite'] as const)(
    'leaves what it has put beside for that, and moves what came later (first: %s)',
    async (first) => {
      const all = ['A', 'a', 'lower', 'lower', 'upper', 'upper'];
      const { names } = await world.restore(first === 'exact' ? exact() : { to: null, conflict: 'overwrite' });
      expect(names.named.map(({ becomes }) => becomes).toSorted()).toEqual(['beside', 'beside', 'beside', 'merged']);
      expect(contents()).toEqual(all);
      writeFileSync(at('later (restored 2026-11-01 00.00)'), 'later');
      for (let run = 0; run < 2; run += 1) {
        const report = await world.restore(exact());
        expect(report).toMatchObject({ failures: [], filesRestored: 0, surplus: { entries: 1 - run } });
        expect(contents()).toEqual(all);
      }
    },
  );
});
