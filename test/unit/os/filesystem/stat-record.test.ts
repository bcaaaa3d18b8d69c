import type { BigIntStats } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  mayStillChange,
  packedStat,
  portableMode,
  hasSameSignature,
  unreliableStat,
} from '../../../../src/os/filesystem/stat-record.ts';

const MS = 1_000_000n;
const NOW = 1_800_000_000_000;

/** @param times of the last change and modification, in nanoseconds; some file systems have no change times */
function statOf(times: { readonly ctimeNs: bigint; readonly mtimeNs: bigint }): BigIntStats {
  const none = { ino: 1n, mode: 0n, uid: 0n, gid: 0n, nlink: 1n, birthtimeNs: 0n, blocks: 0n, dev: 1n };
  return { ...none, size: 5n, ...times } as BigIntStats;
}

const ago = (milliseconds: bigint, beyond = 0n): bigint => (BigInt(NOW) - milliseconds) * MS + beyond;

describe('a record of a file', () => {
  test.each([
    ['with change times', ago(0n)],
    ['without change times', 0n],
  ])('that is marked as no proof is none for the same file, %s', (_name, ctimeNs) => {
    const stat = statOf({ ctimeNs, mtimeNs: ago(0n) });
    const marked = packedStat(stat);
    expect(hasSameSignature(marked, packedStat(stat))).toBe(true);
    unreliableStat(marked, 5);
    expect(hasSameSignature(marked, packedStat(stat))).toBe(false);
  });

  test.each(['size', 'mtimeNs', 'ctimeNs', 'ino'] as const)('is no proof for a file with another %s', (field) => {
    const stat = statOf({ ctimeNs: ago(0n), mtimeNs: ago(0n) });
    // A change of the lowest and of the highest byte.
    for (const by of [1n, 1n << 56n]) {
      const other = { ...stat, [field]: stat[field] + by };
      expect(hasSameSignature(packedStat(stat), packedStat(other))).toBe(false);
    }
  });

  const old = ago(3_600_000n);
  test.each([
    ['a long time ago', { ctimeNs: old, mtimeNs: old }, false],
    ['within a tick of the kernel', { ctimeNs: ago(5n, 1n), mtimeNs: ago(5n, 1n) }, true],
    ['some ticks ago', { ctimeNs: ago(100n, 1n), mtimeNs: ago(100n, 1n) }, false],
    ['within a coarse tick', { ctimeNs: ago(1500n), mtimeNs: ago(1500n) }, true],
    ['now, by a clock that was set back since', { ctimeNs: ago(-3_600_000n), mtimeNs: old }, true],
    ['within a coarse tick, where there are no change times', { ctimeNs: 0n, mtimeNs: ago(1500n) }, true],
    ['a long time ago, where there are no change times', { ctimeNs: 0n, mtimeNs: old }, false],
    ['a long time ago, with a time that somebody set', { ctimeNs: old, mtimeNs: ago(-3_600_000n) }, false],
  ] as const)('written %s', (_name, times, expected) => {
    expect(mayStillChange(statOf(times), NOW)).toBe(expected);
  });
});

test.each([
  ['a folder', 0o40666n, 0o40755n],
  ['a folder with a picture', 0o40444n, 0o40755n],
  ['a file', 0o100666n, 0o100644n],
  ['a read-only file', 0o100444n, 0o100444n],
])('the mode that Windows shows of %s is one that other systems can use', (_name, mode, portable) => {
  expect(portableMode(mode, 'win32')).toBe(portable);
  expect(portableMode(mode, 'linux')).toBe(mode);
});
