import { execFileSync } from 'node:child_process';
import { linkSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  readKeptSync,
  writeKeptSync,
  writeProtectionSync,
} from '../../../../../src/os/filesystem/windows/kept-attributes.ts';
import {
  windowsFileSystem,
  type WindowsFileSystem,
} from '../../../../../src/os/filesystem/windows/windows-file-system.ts';

const ON_WINDOWS = process.platform === 'win32';

/** Wine has no named streams, no compression and no time of creation. */
const isWine = ON_WINDOWS && process.env['WINEPREFIX'] !== undefined;

test.skipIf(ON_WINDOWS)('is only there on Windows', () => {
  expect(windowsFileSystem()).toBeUndefined();
});

describe.skipIf(!ON_WINDOWS)('the functions of Windows', () => {
  let folder: string;
  let system: WindowsFileSystem;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-windows-'));
    system = windowsFileSystem()!;
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const fileAt = (name: string, content = 'x'): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };

  test('read what attrib has set', () => {
    const path = fileAt('a.txt');
    execFileSync('attrib', ['+h', path]);
    execFileSync('attrib', ['+s', path]);
    expect(system.attributesOf(path) & 0x6).toBe(0x6);
  });

  test('set what attrib reads', () => {
    const path = fileAt('ä ö.txt');
    system.setAttributes(path, 0x2);
    expect(system.attributesOf(path) & 0x7).toBe(0x2);
  });

  test('set times with a precision of 100 ns, of files and folders', () => {
    const path = fileAt('a.txt');
    const inside = join(folder, 'inside');
    mkdirSync(inside);
    for (const place of [path, inside]) {
      // Node shows seconds as 32 bits there: times before 1970 look like times after 2106.
      for (const time of [1_700_000_000_123_456_700n, 0n]) {
        system.setTimes(place, { modified: time, created: time + 1000n });
        expect(lstatSync(place, { bigint: true }).mtimeNs).toBe(time);
      }
    }
  });

  // Under Wine the time of the creation is the earliest of the others.
  test.skipIf(isWine)('keep the time of a creation that is not given', () => {
    const path = fileAt('a.txt');
    const { birthtimeNs } = lstatSync(path, { bigint: true });
    system.setTimes(path, { modified: 1_000_000_000n });
    expect(lstatSync(path, { bigint: true }).birthtimeNs).toBe(birthtimeNs);
  });

  test('restore attributes after times, which may clear them', () => {
    const path = fileAt('a.txt');
    system.setAttributes(path, 0x2);
    const kept = readKeptSync(path, system)!;
    const to = fileAt('b.txt');
    expect(writeKeptSync(to, kept, system)).toEqual([]);
    system.setTimes(to, { modified: 1_000_000_000n });
    expect(writeProtectionSync(to, kept, system)).toEqual([]);
    expect(system.attributesOf(to) & 0x2).toBe(0x2);
    expect(lstatSync(to, { bigint: true }).mtimeNs).toBe(1_000_000_000n);
  });

  test('rename a file only to a free name', () => {
    const from = fileAt('from', 'new');
    const to = fileAt('to', 'old');
    expect(() => system.moveExclusive(from, to)).toThrow(expect.objectContaining({ code: 'EEXIST' }) as Error);
    expect(readFileSync(to, 'utf8')).toBe('old');
    system.moveExclusive(from, join(folder, 'free'));
    expect(readFileSync(join(folder, 'free'), 'utf8')).toBe('new');
  });

  test('replace a file, also one that is read-only, which stays so under its other name', () => {
    const [from, to, other] = [fileAt('from', 'new'), fileAt('to', 'old'), join(folder, 'other')];
    linkSync(to, other);
    execFileSync('attrib', ['+r', to]);
    system.moveOver(from, to);
    expect(readFileSync(to, 'utf8')).toBe('new');
    expect(system.attributesOf(to) & 0x1).toBe(0);
    expect(readFileSync(other, 'utf8')).toBe('old');
    expect(system.attributesOf(other) & 0x1).toBe(1);
    expect(() => system.moveOver(from, to)).toThrow(expect.objectContaining({ code: 'ENOENT' }) as Error);
    system.moveOver(to, join(folder, 'free'));
    expect(readFileSync(join(folder, 'free'), 'utf8')).toBe('new');
  });

  test('accept paths beyond 260 characters', () => {
    const deep = join(folder, 'a'.repeat(100), 'b'.repeat(100), 'c'.repeat(100));
    mkdirSync(deep, { recursive: true });
    const path = join(deep, 'd.txt');
    writeFileSync(path, 'x');
    system.setTimes(path, { modified: 1_000_000_000n });
    expect(lstatSync(path, { bigint: true }).mtimeNs).toBe(1_000_000_000n);
    system.moveExclusive(path, join(deep, 'e.txt'));
    expect(readFileSync(join(deep, 'e.txt'), 'utf8')).toBe('x');
  });

  test('name what is missing', () => {
    const missing = join(folder, 'missing');
    const error = expect.objectContaining({ code: 'ENOENT' }) as Error;
    expect(() => system.attributesOf(missing)).toThrow(error);
    expect(() => system.securityOf(missing)).toThrow(error);
    expect(() => system.setTimes(missing, { modified: 1n })).toThrow(error);
  });

  test('give the rights of one file to another', () => {
    const from = fileAt('from');
    // Everybody may read, nobody else anything.
    execFileSync('icacls', [from, '/inheritance:r', '/grant', '*S-1-1-0:(R,WDAC,WO,D)']);
    const to = fileAt('to');
    const rights = { 'system.ntfs_acl': system.securityOf(from) };
    expect(writeProtectionSync(to, rights, system)).toEqual([]);
    expect(Buffer.from(system.securityOf(to))).toEqual(Buffer.from(system.securityOf(from)));
  });

  test('do not follow a junction', () => {
    const real = join(folder, 'real');
    const junction = join(folder, 'junction');
    mkdirSync(real);
    symlinkSync(real, junction, 'junction');
    expect(lstatSync(junction).isSymbolicLink()).toBe(true);
    expect(system.attributesOf(junction) & 0x400).toBe(0x400);
    expect(Buffer.from(system.reparseDataOf(junction)).readUInt32LE(0)).toBe(0xa000_0003);
  });

  test('list both names of one file alike', () => {
    const path = fileAt('a.txt');
    linkSync(path, join(folder, 'b.txt'));
    const [a, b] = ['a.txt', 'b.txt'].map((name) => lstatSync(join(folder, name), { bigint: true }));
    expect([a!.dev, a!.ino]).toEqual([b!.dev, b!.ino]);
  });

  test.skipIf(isWine)('read and write named streams', () => {
    const path = fileAt('a.txt');
    writeFileSync(`${path}:Zone.Identifier`, '[ZoneTransfer]');
    const kept = readKeptSync(path, system)!;
    expect(Buffer.from(kept['user.Zone.Identifier']!).toString()).toBe('[ZoneTransfer]');
    const to = fileAt('b.txt');
    expect(writeKeptSync(to, kept, system)).toEqual([]);
    expect(readFileSync(`${to}:Zone.Identifier`, 'utf8')).toBe('[ZoneTransfer]');
  });

  test.skipIf(isWine)('compress a file', () => {
    const path = fileAt('a.txt');
    system.compress(path);
    expect(system.attributesOf(path) & 0x800).toBe(0x800);
  });
});
