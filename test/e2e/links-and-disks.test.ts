import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CAN_LINK } from '../helpers/can-link.ts';
import { differences } from '../helpers/differences.ts';
import { CAN_MOUNT, mountDisk, unmount, unmountAll } from '../helpers/mount.ts';
import { Workplace } from './workplace.ts';

interface Backup {
  readonly warnings: readonly { readonly path: string; readonly reason: string }[];
}
interface Listing {
  readonly entries: readonly { readonly path: string; readonly type: string }[];
}

async function newWorkplace(): Promise<Workplace> {
  const workplace = new Workplace();
  await workplace.setUp();
  return workplace;
}

function write(workplace: Workplace, name: string, content: string): string {
  mkdirSync(dirname(workplace.path(name)), { recursive: true });
  return workplace.write(name, content);
}

async function namesIn(workplace: Workplace, set: string): Promise<readonly string[]> {
  const { entries } = await workplace.json<Listing>(['ls', set, '--recursive']);
  return entries.filter(({ type }) => type === 'file').map(({ path }) => path);
}

describe.skipIf(!CAN_LINK)('a source that is a link', () => {
  test('is missing while its target is, and is backed up under its own path when that is there', async () => {
    using workplace = await newWorkplace();
    const link = workplace.path('Photos');
    symlinkSync(workplace.path('disk/photos'), link);
    await workplace.addSet('photos', link);
    for (let run = 1; run <= 3; run += 1) {
      const refused = await workplace.run('backup', 'photos');
      expect(refused.status).toBe(1);
      expect(refused.stderr).toContain(`is a link to ${workplace.path('disk/photos')}`);
    }
    write(workplace, 'disk/photos/1.jpg', 'one');
    expect((await workplace.json<Backup>(['backup', 'photos'])).warnings).toEqual([]);
    expect(await namesIn(workplace, 'photos')).toEqual([join(link, '1.jpg')]);

    renameSync(workplace.path('disk'), workplace.path('away'));
    write(workplace, 'beside/file', 'text');
    await workplace.addSet('both', link, workplace.path('beside'));
    expect((await workplace.run('backup', 'both')).status).toBe(1);
    renameSync(workplace.path('away'), workplace.path('disk'));
    await workplace.json(['backup', 'both']);
    for (const hide of [() => renameSync(workplace.path('disk'), workplace.path('away')), () => rmSync(link)]) {
      hide();
      for (let run = 1; run <= 3; run += 1) {
        const { warnings } = await workplace.json<Backup>(['backup', 'both'], 3);
        expect(warnings).toEqual([{ path: link, reason: 'folder-missing' }]);
        expect(await namesIn(workplace, 'both')).toContain(join(link, '1.jpg'));
      }
    }
  });

  test.each([
    ['the link itself', 'Photos', 'disk/photos', 'other/photos'],
    ['a folder behind one', 'between/photos', 'disk', 'other'],
  ])('is followed and named once when %s leads elsewhere', async (_name, source, before, after) => {
    using workplace = await newWorkplace();
    write(workplace, 'disk/photos/1.jpg', 'one');
    write(workplace, 'other/photos/2.jpg', 'two');
    const [link] = source.split('/');
    symlinkSync(workplace.path(before), workplace.path(link!));
    const path = workplace.path(source);
    await workplace.addSet('photos', path);
    await workplace.json(['backup', 'photos']);
    rmSync(workplace.path(link!));
    symlinkSync(workplace.path(after), workplace.path(link!));
    const { warnings } = await workplace.json<Backup>(['backup', 'photos'], 3);
    expect(warnings).toEqual([{ path, reason: 'leads-elsewhere' }]);
    expect((await workplace.json<Backup>(['backup', 'photos'])).warnings).toEqual([]);
    expect(await namesIn(workplace, 'photos')).toEqual([join(path, '2.jpg')]);
  });

  test('is restored to where it leads, whichever path names it, and stays a link', async () => {
    using workplace = await newWorkplace();
    const file = write(workplace, 'disk/photos/1.jpg', 'one');
    const note = write(workplace, 'real/note.txt', 'note');
    symlinkSync(workplace.path('disk/photos'), workplace.path('Photos'));
    symlinkSync(note, workplace.path('note'));
    await workplace.addSet('mine', workplace.path('Photos'), workplace.path('note'));
    const { files_processed: dry } = await workplace.json<{ files_processed: number }>(['backup', 'mine', '--dry-run']);
    expect(dry).toBe(2);
    await workplace.json(['backup', 'mine']);
    expect(await namesIn(workplace, 'mine')).toEqual([workplace.path('Photos/1.jpg'), workplace.path('note')]);
    rmSync(file);
    writeFileSync(note, 'changed');
    await workplace.json(['restore', 'mine', '--in-place', '--conflict', 'overwrite']);
    expect([readFileSync(file, 'utf8'), readFileSync(note, 'utf8')]).toEqual(['one', 'note']);
    expect(readlinkSync(workplace.path('Photos'))).toBe(workplace.path('disk/photos'));
    for (const path of ['Photos/1.jpg', 'disk/photos/1.jpg']) {
      const to = workplace.path(`restored ${path.replaceAll('/', ' ')}`);
      await workplace.json(['restore', 'mine', '--path', workplace.path(path), '--to', to]);
      expect(readdirSync(to)).toEqual(['1.jpg']);
    }
    renameSync(workplace.path('disk'), workplace.path('away'));
    const refused = await workplace.run('restore', 'mine', '--in-place', '--path', workplace.path('Photos'));
    expect(refused.status).toBe(1);
    expect(existsSync(workplace.path('disk'))).toBe(false);
  });
});

describe.skipIf(!CAN_MOUNT)('a disk in a source', () => {
  test('keeps its last version in all sets, three times in a row, and in kills between', async () => {
    using workplace = await newWorkplace();
    const folder = realpathSync(workplace.path('.'));
    using _mounts = { [Symbol.dispose]: () => unmountAll(folder) };
    const disks = ['one/nas', 'one/deep/usb', 'two/nas'].map((name) => join(folder, name));
    for (const disk of disks) {
      mkdirSync(join(disk, 'photos'), { recursive: true });
      mountDisk(disk);
      for (let file = 0; file < 50; file += 1)
        write(workplace, `${disk.slice(folder.length + 1)}/photos/${file}`, `${file}`);
    }
    for (const set of ['one', 'two']) {
      write(workplace, `${set}/letter`, 'text');
      await workplace.addSet(set, join(folder, set));
    }
    await workplace.json(['backup', '--all']);
    const before = { one: await namesIn(workplace, 'one'), two: await namesIn(workplace, 'two') };
    expect([before.one.length, before.two.length]).toEqual([101, 51]);
    await workplace.json(['restore', 'one', '--to', join(folder, 'wanted')]);
    for (const disk of disks) unmount(disk);
    for (let run = 1; run <= 3; run += 1) {
      for (let kill = 0; kill < 3; kill += 1) {
        const { child, ended } = workplace.start(['backup', '--all']);
        setTimeout(() => child.kill('SIGKILL'), kill * 150);
        await ended;
      }
      const all = await workplace.json<{ sets: readonly Backup[] }>(['backup', '--all'], 3);
      expect(
        all.sets.map(({ warnings }) => warnings.map(({ path, reason }) => `${reason} ${path}`).toSorted()),
      ).toEqual([
        [`folder-not-mounted ${disks[1]}`, `folder-not-mounted ${disks[0]}`],
        [`folder-not-mounted ${disks[2]}`],
      ]);
      expect({ one: await namesIn(workplace, 'one'), two: await namesIn(workplace, 'two') }).toEqual(before);
      await workplace.json(['restore', 'one', '--to', join(folder, `restored ${run}`)]);
      expect(differences(join(folder, 'wanted'), join(folder, `restored ${run}`))).toBe('');
    }
    const { warnings } = await workplace.json<Backup>(['backup', 'one', '--accept', disks[0]!], 3);
    expect(warnings).toEqual([{ path: disks[1], reason: 'folder-not-mounted' }]);
    expect(await namesIn(workplace, 'one')).toHaveLength(51);
  });
});
