import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FigureMaker } from '../../../../../src/agent/host/state/figures.ts';
import { fullAt, growthOf, withLastOfDays } from '../../../../../src/agent/host/state/growth.ts';
import { Catalog } from '../../../../../src/catalog/catalog.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 23, 12);
const GB = 1_000_000_000;
const at = (daysBefore: number, bytes: number) => ({ at: NOW - daysBefore * DAY, bytes });

describe('the growth of a destination', () => {
  test.each([
    ['is unknown without backups', [], undefined],
    ['is unknown in the first week', [at(6.9, GB), at(0, 5 * GB)], undefined],
    ['counts from the first backup in the first month', [at(8, GB), at(0, 5 * GB)], { days: 8, bytes: 4 * GB }],
    ['counts thirty days', [at(90, GB), at(31, 3 * GB), at(29, 4 * GB), at(0, 5 * GB)], { days: 31, bytes: 2 * GB }],
    ['is negative after a removal', [at(30, 5 * GB), at(1, GB)], { days: 29, bytes: -4 * GB }],
  ])('%s', (_name, stored, expected) => {
    expect(growthOf(stored, NOW)).toEqual(expected);
  });

  test('is unknown when there was no backup for longer than that', () => {
    expect(growthOf([at(60, GB), at(40, 5 * GB)], NOW)).toBeUndefined();
  });

  test('predicts when the space runs out, within five years', () => {
    const growth = { days: 30, bytes: 3 * GB };
    expect(fullAt(growth, 30 * GB, NOW)).toBe(NOW + 300 * DAY);
    expect(fullAt(growth, 0, NOW)).toBe(NOW);
    expect(fullAt(growth, 183 * GB, NOW)).toBeUndefined();
    expect(fullAt(growth, undefined, NOW)).toBeUndefined();
    expect(fullAt({ days: 30, bytes: 0 }, GB, NOW)).toBeUndefined();
    expect(fullAt({ days: 30, bytes: -1 }, GB, NOW)).toBeUndefined();
    expect(fullAt(undefined, GB, NOW)).toBeUndefined();
  });

  test('is the same, however many backups are counted at a time', () => {
    const hours = fc.array(fc.tuple(fc.integer({ min: 1, max: 90 }), fc.nat(1000)), { maxLength: 200 });
    fc.assert(
      fc.property(hours, fc.integer({ min: 1, max: 50 }), (steps, group) => {
        let time = NOW - 120 * DAY;
        const all = steps
          .map(([hour, bytes]) => ({ at: (time += hour * 3_600_000), bytes }))
          .filter((one) => one.at <= NOW);
        let kept: ReturnType<typeof withLastOfDays> = [];
        for (let index = 0; index < all.length; index += group) {
          kept = withLastOfDays(kept, all.slice(index, index + group));
          expect(kept.length).toBeLessThan(34);
        }
        expect(growthOf(kept, NOW)?.bytes).toBe(growthOf(withLastOfDays([], all), NOW)?.bytes);
      }),
    );
  });

  test('comes from the reports of all backups to that destination, each read once', () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-growth-'));
    using catalog = new Catalog(join(folder, 'catalog.sqlite'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const maker = new FigureMaker();
    const backUp = (
      daysBefore: number,
      destination: string,
      storageUsedBytes: number,
      state: 'succeeded' | 'failed',
    ): void => {
      const ended = NOW - daysBefore * DAY;
      const id = catalog.journal.begin({ kind: 'backup', backupSet: 'docs', destination }, 'scanning', ended - 1000);
      catalog.journal.transition(id, state, ended, { report: { storageUsedBytes, bytesScanned: 1 } });
    };
    backUp(40, 'disk', 1 * GB, 'succeeded');
    backUp(20, 'bucket', 50 * GB, 'succeeded');
    backUp(10, 'disk', 2 * GB, 'succeeded');
    const first = maker.at(NOW - 5 * DAY, catalog, ['disk', 'bucket']).storage;
    expect(first.get('disk')).toMatchObject({ storedBytes: 2 * GB, growth: { days: 30, bytes: GB } });
    expect(first.get('bucket')).toMatchObject({ storedBytes: 50 * GB });
    expect(first.get('bucket')).not.toHaveProperty('growth');
    backUp(1, 'disk', 9 * GB, 'failed');
    backUp(0, 'disk', 4 * GB, 'succeeded');
    const second = maker.at(NOW, catalog, ['disk', 'bucket']).storage;
    expect(second.get('disk')).toMatchObject({ storedBytes: 4 * GB, growth: { days: 40, bytes: 3 * GB } });
  });
});
