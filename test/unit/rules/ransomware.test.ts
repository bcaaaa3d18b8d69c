import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeRun, mostFilesOf, type ReportedActivity, type RunChanges } from '../../../src/rules/ransomware.ts';

const MiB = 2 ** 20;
const usual: RunChanges = { filesBefore: 10_000, versions: 0, ended: 0, bytes: 0, newBytes: 0 };

const nothing: ReportedActivity = {
  suspiciousNames: 0,
  incompressibleFiles: 0,
  damagedFiles: 0,
  replacedFiles: 0,
  intactFiles: 0,
};

describe('ransomware signals', () => {
  test.each<[string, Partial<RunChanges>, ReportedActivity | undefined, readonly string[]]>([
    ['nothing changed', {}, undefined, []],
    ['a first run', { filesBefore: 0, versions: 50_000, bytes: 900 * MiB, newBytes: 900 * MiB }, undefined, []],
    ['a day of work', { versions: 120, ended: 100, bytes: 80 * MiB, newBytes: 80 * MiB }, undefined, []],
    ['many new photos', { versions: 9_000, ended: 3, bytes: 900 * MiB, newBytes: 900 * MiB }, undefined, []],
    ['everything deleted', { ended: 10_000 }, undefined, ['mass_deletion']],
    ['half of it deleted', { ended: 5_100, versions: 100 }, undefined, ['mass_deletion']],
    ['a bit less than half deleted', { ended: 5_099, versions: 100 }, undefined, []],
    ['a little set emptied', { filesBefore: 49, ended: 49 }, undefined, []],
    ['a folder moved', { versions: 9_000, ended: 9_000, bytes: 900 * MiB, newBytes: MiB }, undefined, []],
    ['every file touched', { versions: 10_000, ended: 10_000, bytes: 900 * MiB, newBytes: 0 }, undefined, []],
    ['a little set rewritten', { filesBefore: 40, versions: 40, ended: 40, bytes: MiB, newBytes: MiB }, undefined, []],
    [
      'all of it encrypted in place',
      { versions: 10_000, ended: 10_000, bytes: 900 * MiB, newBytes: 890 * MiB },
      undefined,
      ['mass_rewrite'],
    ],
    [
      'half of it replaced by files of other names',
      { versions: 5_000, ended: 5_000, bytes: 400 * MiB, newBytes: 400 * MiB },
      undefined,
      ['mass_rewrite'],
    ],
    ['a bit less than half', { versions: 4_999, ended: 4_999, bytes: MiB, newBytes: MiB }, undefined, []],
    [
      'a tenth, and its bytes look random',
      { versions: 1_000, ended: 1_000, bytes: 90 * MiB, newBytes: 90 * MiB },
      { ...nothing, incompressibleFiles: 600 },
      ['mass_encryption'],
    ],
    [
      'a tenth, and fewer look random',
      { versions: 1_000, ended: 1_000, bytes: 90 * MiB, newBytes: 90 * MiB },
      { ...nothing, incompressibleFiles: 599 },
      [],
    ],
    [
      'a tenth, and its bytes look as before',
      { versions: 1_000, ended: 1_000, bytes: 90 * MiB, newBytes: 90 * MiB },
      { ...nothing, suspiciousNames: 9, incompressibleFiles: 10 },
      [],
    ],
    [
      'all of it rewritten, and most of it is what its names say',
      { versions: 10_000, ended: 10_000, bytes: 900 * MiB, newBytes: 900 * MiB },
      { ...nothing, intactFiles: 8_000 },
      [],
    ],
    [
      'all of it rewritten, and less of it is what its names say',
      { versions: 10_000, ended: 10_000, bytes: 900 * MiB, newBytes: 900 * MiB },
      { ...nothing, intactFiles: 7_999 },
      ['mass_rewrite'],
    ],
    [
      'five files that are no longer what their names say',
      { versions: 200, ended: 150, bytes: MiB, newBytes: MiB },
      { ...nothing, damagedFiles: 5, intactFiles: 195 },
      ['mass_damage'],
    ],
    ['four of them', { versions: 200, ended: 150, bytes: MiB, newBytes: MiB }, { ...nothing, damagedFiles: 4 }, []],
    [
      'five files, damaged or replaced by encrypted ones',
      { versions: 10, ended: 10, bytes: MiB, newBytes: MiB },
      { ...nothing, damagedFiles: 2, replacedFiles: 3 },
      ['mass_damage'],
    ],
    [
      'files that were encrypted elsewhere, and replace nothing',
      { versions: 900, ended: 4, bytes: MiB, newBytes: MiB },
      { ...nothing, replacedFiles: 900 },
      [],
    ],
    [
      'three quarters of the files gone over weeks',
      { filesBefore: 2_600, mostFiles: 10_000, ended: 100 },
      undefined,
      ['mass_deletion'],
    ],
    ['fewer of them', { filesBefore: 2_601, mostFiles: 10_000, ended: 100 }, undefined, []],
    ['the run after it', { filesBefore: 2_500, mostFiles: 10_000, ended: 100 }, undefined, []],
    ['a little set that shrinks', { filesBefore: 20, mostFiles: 60, ended: 9 }, undefined, []],
    [
      'names that ransomware gives, wherever they are',
      { filesBefore: 0, versions: 10, bytes: MiB, newBytes: MiB },
      { ...nothing, suspiciousNames: 10 },
      ['known_names'],
    ],
  ])('%s', (_name, changes, reported, reasons) => {
    expect(judgeRun({ ...usual, ...changes }, reported).reasons).toEqual(reasons);
  });

  test('compares with the most files of the last 30 days', () => {
    const [now, day] = [Date.parse('2026-03-04T00:00:00Z'), 24 * 60 * 60 * 1000];
    const points = [10, 500, 9_000].map((files, index) => ({ files, time: now - [1, 29, 30][index]! * day }));
    expect(mostFilesOf(points, now)).toBe(500);
    expect(mostFilesOf([], now)).toBe(0);
  });

  test('returns the figures of the decision', () => {
    const changes = { filesBefore: 100, versions: 80, ended: 60, bytes: 3000, newBytes: 2999 };
    expect(judgeRun(changes)).toEqual({ reasons: ['mass_rewrite'], filesRewritten: 60, newDataPercent: 100 });
    expect(judgeRun({ ...changes, newBytes: 2000 })).toEqual({
      reasons: [],
      filesRewritten: 60,
      newDataPercent: 66.7,
    });
  });

  const changes = fc.record({
    filesBefore: fc.nat(1e6),
    versions: fc.nat(1e6),
    ended: fc.nat(1e6),
    bytes: fc.nat(),
    newBytes: fc.nat(),
  });

  test('ignores pure additions, and deletions of less than half', () => {
    fc.assert(
      fc.property(changes, fc.boolean(), (run, additions) => {
        const ended = Math.max(0, Math.min(run.ended, Math.ceil(run.filesBefore / 2) - 1));
        expect(judgeRun({ ...run, ...(additions ? { ended: 0 } : { versions: 0, ended }) }).reasons).toEqual([]);
      }),
    );
  });

  test('is monotonic in suspicious files', () => {
    const reported = fc.record({
      suspiciousNames: fc.nat(1e6),
      incompressibleFiles: fc.nat(1e6),
      damagedFiles: fc.nat(20),
      replacedFiles: fc.nat(20),
      intactFiles: fc.nat(1e6),
    });
    fc.assert(
      fc.property(changes, reported, fc.nat(1e6), (run, seen, more) => {
        const before = judgeRun(run, seen).reasons;
        const after = judgeRun(
          { ...run, newBytes: run.newBytes + more },
          {
            suspiciousNames: seen.suspiciousNames + more,
            incompressibleFiles: seen.incompressibleFiles + more,
            damagedFiles: seen.damagedFiles + more,
            replacedFiles: seen.replacedFiles + more,
            intactFiles: Math.max(0, seen.intactFiles - more),
          },
        ).reasons;
        expect(after).toEqual(expect.arrayContaining([...before]));
      }),
    );
  });
});
