import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApfsSnapshots, mountPointIn } from '../../../../../src/os/filesystem/macos/apfs-snapshots.ts';

const DATE = '2026-11-27-201500';
const OLDER = '2026-11-26-080000';
const CREATED = `NOTE: local snapshots are considered purgeable and may be removed at any time by deleted(8).
Created local snapshot with date: ${DATE}
`;
const HEADER = 'Filesystem   512-blocks      Used Available Capacity  Mounted on\n';
const DATA = `${HEADER}/dev/disk3s5  1942700360 980000000 930000000    52%    /System/Volumes/Data\n`;
const DISK = `${HEADER}/dev/disk5s1   200000000  10000000 190000000     5%    /Volumes/My Disk\n`;

let folder: string;
let record: string;
let mounts: string;
let calls: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-apfs-'));
  record = join(folder, 'snapshots.txt');
  mounts = join(folder, 'snapshots');
  calls = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Answers {
  readonly df?: string | undefined;
  readonly localsnapshot?: string | undefined;
  readonly mount?: string | undefined;
  readonly deleted?: string | undefined;
  readonly dates?: string | undefined;
}

/** Snapshots of a Mac whose programs print these texts. */
function snapshots(answers: Answers = {}): ApfsSnapshots {
  const usual: Answers = { df: DATA, localsnapshot: CREATED, mount: '', deleted: 'Deleted local snapshot', dates: '' };
  const { df, localsnapshot, mount, deleted, dates } = { ...usual, ...answers };
  return new ApfsSnapshots(record, mounts, (program, args) => {
    calls.push([program, ...args].join(' '));
    if (program === '/bin/df') return Promise.resolve(args[1]!.startsWith('/Volumes/') ? DISK : df);
    if (program === '/sbin/mount_apfs') return Promise.resolve(mount);
    if (program === '/sbin/umount') return Promise.resolve('');
    const [verb] = args;
    return Promise.resolve({ localsnapshot, deletelocalsnapshots: deleted, listlocalsnapshotdates: dates }[verb!]);
  });
}

describe('a snapshot', () => {
  test('is made once, recorded, mounted for each volume, and deleted by its date', async () => {
    const system = snapshots();
    const copy = await system.copyFor('/Users/anna/Mail/db.sqlite');
    expect(copy!.placeOf('/Users/anna/Mail/db.sqlite')).toBe(`${mounts}/${DATE}-0/Users/anna/Mail/db.sqlite`);
    expect(copy!.placeOf('/System/Volumes/Data/x')).toBe(`${mounts}/${DATE}-0/x`);
    expect(readFileSync(record, 'utf8')).toBe(DATE);
    const other = await system.copyFor('/Volumes/My Disk/vm.img');
    expect(other!.placeOf('/Volumes/My Disk/vm.img')).toBe(`${mounts}/${DATE}-1/vm.img`);
    expect(await system.copyFor('/Users/anna/other')).toBe(copy);
    await system.deleteAll();
    expect(calls.filter((call) => !call.startsWith('/bin/df'))).toEqual([
      '/usr/bin/tmutil localsnapshot',
      `/sbin/mount_apfs -o nobrowse,rdonly -s com.apple.TimeMachine.${DATE}.local /System/Volumes/Data ${mounts}/${DATE}-0`,
      `/sbin/mount_apfs -o nobrowse,rdonly -s com.apple.TimeMachine.${DATE}.local /Volumes/My Disk ${mounts}/${DATE}-1`,
      `/sbin/umount ${mounts}/${DATE}-0`,
      `/sbin/umount ${mounts}/${DATE}-1`,
      `/usr/bin/tmutil deletelocalsnapshots ${DATE}`,
    ]);
    expect(readFileSync(record, 'utf8')).toBe('');
    expect(readdirSync(mounts)).toEqual([]);
  });

  test.each<[string, Answers]>([
    ['the volume is not known', { df: undefined }],
    ['the file is on the sealed system', { df: `${HEADER}/dev/disk3s1s1 1942700360 30000000 930000000 4% /\n` }],
    ['the volume has another path', { df: `${HEADER}/dev/disk9s1 1942700360 30000000 930000000 4% /Users/ann\n` }],
    ['tmutil makes none', { localsnapshot: undefined }],
    ['tmutil says something else', { localsnapshot: 'Created local snapshot with date: ../../etc\n' }],
    ['it cannot be mounted', { mount: undefined }],
  ])('is none if %s', async (_name, answers) => {
    const system = snapshots(answers);
    expect(await system.copyFor('/Users/anna/x')).toBeUndefined();
    expect(await system.copyFor('/Users/anna/y')).toBeUndefined();
    expect(calls.filter((call) => call.includes('localsnapshot')).length).toBeLessThan(2);
    expect(existsSync(mounts) ? readdirSync(mounts) : []).toEqual([]);
  });

  test('of a process that was killed is unmounted and deleted by the next one, and no other', async () => {
    writeFileSync(record, `${OLDER}\n2026'; rm -r /\n`);
    mkdirSync(join(mounts, `${OLDER}-0`), { recursive: true });
    await snapshots().sweep();
    expect(calls).toEqual([`/sbin/umount ${mounts}/${OLDER}-0`, `/usr/bin/tmutil deletelocalsnapshots ${OLDER}`]);
    expect(readFileSync(record, 'utf8')).toBe('');
    calls = [];
    await snapshots().sweep();
    expect(calls).toEqual([]);
  });

  test('that is still mounted stays, with everything in it', async () => {
    writeFileSync(record, OLDER);
    mkdirSync(join(mounts, `${OLDER}-0`), { recursive: true });
    writeFileSync(join(mounts, `${OLDER}-0`, 'file'), 'of the volume');
    await snapshots().sweep();
    expect(readFileSync(join(mounts, `${OLDER}-0`, 'file'), 'utf8')).toBe('of the volume');
    expect(readFileSync(record, 'utf8')).toBe(OLDER);
    expect(calls.some((call) => call.includes('deletelocalsnapshots'))).toBe(false);
  });

  test.each([
    ['stays recorded while macOS has it', `Snapshot dates for all disks:\n${OLDER}\n`, OLDER],
    ['is forgotten when macOS has deleted it', `Snapshot dates for all disks:\n${DATE}\n`, ''],
    ['stays recorded when nothing is known', undefined, OLDER],
  ])('that cannot be deleted %s', async (_name, dates, expected) => {
    writeFileSync(record, OLDER);
    await snapshots({ deleted: undefined, dates }).sweep();
    expect(readFileSync(record, 'utf8')).toBe(expected);
  });
});

test.each([
  [DATA, '/System/Volumes/Data'],
  [DISK, '/Volumes/My Disk'],
  [HEADER, undefined],
  ['', undefined],
  [undefined, undefined],
])('the mount point in %j is %j', (output, expected) => {
  expect(mountPointIn(output)).toBe(expected);
});
