import { describe, expect, test } from 'vitest';
import { Disk, Image, ROOT, type Operation } from './disk.ts';
import { canTrace } from './place.ts';
import { runPowerLoss } from './power-loss.ts';
import { parseLog } from './system-calls.ts';
import { orThorough, sampled } from '../../../helpers/thorough.ts';

/** `npm run campaign -- power-loss` runs longer ones. */
describe.skipIf(!canTrace())('a power loss (needs strace, and the right to trace)', () => {
  test.each(sampled([['', 0] as const, [', with parity', 20] as const], 2, 1))(
    'after any system call loses no restore point, and lets the home go on%s',
    async (_what, parity) => {
      const result = await runPowerLoss({
        seed: 1,
        parity,
        commands: 0,
        random: 1,
        homes: orThorough(0.015, 0.03),
        programs: orThorough(0.02, 0.05),
      });
      expect(result.prefixes).toBeGreaterThan(100);
      expect(result.destinations).toBeGreaterThan(20);
      expect(result.homes).toBeGreaterThan(2);
    },
  );
});

const FILE = 1;
const create: Operation = { kind: 'name', node: FILE, folder: ROOT, name: 'new' };
const rename: Operation = { kind: 'rename', node: FILE, folder: ROOT, name: 'new', toFolder: ROOT, toName: 'file' };
const write: Operation = { kind: 'write', node: FILE, offset: 0, bytes: Buffer.alloc(5_000, 'x') };

function diskOf(...operations: readonly Operation[]): Disk {
  const disk = new Disk(new Image(new Set([ROOT])));
  for (const operation of operations) disk.add(operation);
  return disk;
}

function filesOf(image: Image): Record<string, number> {
  return Object.fromEntries(
    [...image.walk()].map(({ path, bytes }) => [path, bytes!.toString().replaceAll('\0', '').length]),
  );
}

describe('a disk', () => {
  test('loses names and bytes that are not synced', () => {
    expect(filesOf(diskOf(create, write).after(() => 'lost'))).toEqual({});
    expect(filesOf(diskOf(create, write).after(() => 'kept'))).toEqual({ new: 5_000 });
  });

  test('may keep a name and lose the bytes', () => {
    const disk = diskOf(create, write, rename, { kind: 'sync', node: ROOT, until: 3 });
    expect(filesOf(disk.after(() => 'lost'))).toEqual({ file: 0 });
  });

  test('keeps the bytes of a file that was synced, and loses its name', () => {
    const disk = diskOf(create, write, { kind: 'sync', node: FILE, until: 2 }, rename);
    expect(disk.unsynced).toEqual([create, rename]);
    expect(filesOf(disk.after((change) => (change === rename ? 'kept' : 'lost')))).toEqual({ file: 5_000 });
  });

  test('does not keep what came after the beginning of a sync', () => {
    const disk = diskOf(create, write, { kind: 'sync', node: undefined, until: 1 });
    expect(filesOf(disk.after(() => 'lost'))).toEqual({ new: 0 });
  });

  test.each([
    ['half', 2_500],
    ['sectors', 4_608],
    ['pages', 4_096],
    ['zeros', 0],
    ['holes', 4_096],
  ] as const)('tears a write: %s', (fate, left) => {
    expect(filesOf(diskOf(create, write).after(({ kind }) => (kind === 'write' ? fate : 'kept')))).toEqual({
      new: left,
    });
  });
});

describe('a log of strace', () => {
  test('is parsed in the order in which calls return, without those that failed', () => {
    const calls = parseLog(
      [
        String.raw`7  write(3<\x2f\x61>, "\x41" <unfinished ...>`,
        String.raw`8  mkdir("\x2f\x62", 0700) = -1 EEXIST (File exists)`,
        String.raw`8  fsync(4<\x2f\x62>) = 0`,
        String.raw`7  <... write resumed>, 1) = 1`,
        String.raw`8  openat(AT_FDCWD<\x2f>, "\x2f\x63", O_WRONLY|O_CREAT, 0600) = 5<\x2f\x63>`,
        '7  +++ exited with 0 +++',
      ].join('\n'),
    );
    expect(calls.map(({ name, begun, ended, opened }) => [name, begun, ended, opened?.path])).toEqual([
      ['fsync', 2, 2, undefined],
      ['write', 0, 3, undefined],
      ['openat', 4, 4, '/c'],
    ]);
  });
});
