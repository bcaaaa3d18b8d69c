import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { retentionPolicy, type RetentionPolicy } from '../../../src/protocol/retention.ts';
import { decideRetention, type DatedPoint } from '../../../src/rules/retention-policy.ts';
import { orThorough } from '../../helpers/thorough.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function policy(rules: Partial<RetentionPolicy>): RetentionPolicy {
  return { keep_all_days: 0, hourly: 0, daily: 0, weekly: 0, monthly: 0, yearly: 0, time_zone: 'UTC', ...rules };
}

function points(times: readonly string[], pinned: readonly string[] = []) {
  return times.map((time) => ({ restorePoint: Date.parse(time), pinned: pinned.includes(time) }));
}

function kept(times: readonly string[], rules: Partial<RetentionPolicy>, pinned: readonly string[] = []): string[] {
  return decideRetention(points(times, pinned), policy(rules))
    .filter(({ keptBecause }) => keptBecause.length > 0)
    .map(({ point }) => new Date(point.restorePoint).toISOString().slice(0, 16))
    .toSorted();
}

/** Runs in the order in which they were made: the time of each is after all before it, whatever its clock said when it was completed. */
function inOrder(completed: readonly number[]) {
  let latest = 0;
  return completed.map((completedAt) => {
    latest = Math.max(latest + 1, completedAt);
    return { restorePoint: latest, completedAt, pinned: false };
  });
}

describe('a retention policy', () => {
  test('keeps the newest and the oldest of each of the last hours, days, weeks, months and years that have one', () => {
    const times = ['10:05', '10:20', '10:55', '11:10', '14:00'].map((time) => `2026-03-01T${time}Z`);
    const hours = (...kept: readonly string[]): string[] => kept.map((time) => `2026-03-01T${time}`);
    expect(kept(times, { hourly: 2 })).toEqual(hours('11:10', '14:00'));
    expect(kept(times, { hourly: 3 })).toEqual(hours('10:05', '10:55', '11:10', '14:00'));
    const daily = [
      '2026-02-27T08:00Z',
      '2026-02-27T08:30Z',
      '2026-02-27T09:00Z',
      '2026-03-01T00:00Z',
      '2026-03-01T23:59Z',
    ];
    expect(kept(daily, { daily: 9 })).toEqual([
      '2026-02-27T08:00',
      '2026-02-27T09:00',
      '2026-03-01T00:00',
      '2026-03-01T23:59',
    ]);
    expect(kept(daily, { daily: 1 })).toEqual(['2026-03-01T00:00', '2026-03-01T23:59']);
    // Monday is 2026-03-02.
    const weekly = ['2026-03-01', '2026-03-02', '2026-03-05', '2026-03-08', '2026-03-09'].map((day) => `${day}T12:00Z`);
    expect(kept(weekly, { weekly: 9 }).map((time) => time.slice(0, 10))).toEqual([
      '2026-03-01',
      '2026-03-02',
      '2026-03-08',
      '2026-03-09',
    ]);
    const monthly = ['2025-12-31', '2026-01-01', '2026-01-15', '2026-01-31', '2026-03-01'].map(
      (day) => `${day}T12:00Z`,
    );
    const days = (rules: Partial<RetentionPolicy>): string[] => kept(monthly, rules).map((time) => time.slice(0, 10));
    expect(days({ monthly: 2 })).toEqual(['2026-01-01', '2026-01-31', '2026-03-01']);
    expect(days({ yearly: 2 })).toEqual(['2025-12-31', '2026-01-01', '2026-03-01']);
  });

  test('keeps what a day began with when runs follow that changed every file', () => {
    const mornings = Array.from({ length: 9 }, (_, day) => Date.parse('2026-03-01T08:00Z') + day * DAY);
    const made = mornings.flatMap((morning) => [morning, morning + HOUR, morning + 2 * HOUR]);
    const survivors = decideRetention(
      made.map((restorePoint) => ({ restorePoint, pinned: false, files: 100 })),
      policy({ daily: 7 }),
    ).filter(({ keptBecause }) => keptBecause.length > 0);
    expect(mornings.slice(2).every((morning) => survivors.some(({ point }) => point.restorePoint === morning))).toBe(
      true,
    );
    expect(survivors).toHaveLength(14);
  });

  test('keeps everything of the last days, counted from the newest restore point instead of now', () => {
    const times = ['2019-01-01T00:00Z', '2019-01-09T00:00Z', '2019-01-09T00:01Z', '2019-01-10T00:00Z'];
    expect(kept(times, { keep_all_days: 1 })).toEqual(['2019-01-09T00:01', '2019-01-10T00:00']);
  });

  test('always keeps the newest and pinned ones, and everything without a policy', () => {
    const times = ['2025-01-01T00:00Z', '2025-06-01T00:00Z', '2026-01-01T00:00Z'];
    expect(kept(times, { hourly: 1 }, [times[0]!])).toEqual(['2025-01-01T00:00', '2026-01-01T00:00']);
    expect(decideRetention(points(times), undefined).every(({ keptBecause }) => keptBecause.length > 0)).toBe(true);
    expect(decideRetention([], policy({ daily: 1 }))).toEqual([]);
  });

  test('counts the time of completion when a wrong clock moved the times of restore points', () => {
    // The clock was in 2030 once. Later restore points follow that one by milliseconds.
    const ahead = Date.parse('2030-05-05T12:00Z');
    const days = ['2026-03-01T10:00Z', '2026-03-02T10:00Z', '2026-03-02T20:00Z', '2026-03-03T10:00Z'].map(Date.parse);
    const made = [
      { restorePoint: Date.parse('2026-02-28T10:00Z'), completedAt: Date.parse('2026-02-28T10:00Z'), pinned: false },
      { restorePoint: ahead, completedAt: ahead, pinned: false },
      ...days.map((completedAt, index) => ({ restorePoint: ahead + 1 + index, completedAt, pinned: false })),
    ];
    const now = Date.parse('2026-03-03T11:00Z');
    const times = (rules: Partial<RetentionPolicy>) =>
      decideRetention(made, policy(rules), now)
        .filter(({ keptBecause }) => keptBecause.length > 0)
        .map(({ point }) => new Date(point.completedAt).toISOString().slice(0, 10));
    expect(times({ daily: 3 })).toEqual(['2026-03-03', '2026-03-02', '2026-03-02', '2026-03-01']);
    expect(times({ daily: 9 })).toEqual([
      '2026-03-03',
      '2026-03-02',
      '2026-03-02',
      '2026-03-01',
      '2030-05-05',
      '2026-02-28',
    ]);
    expect(times({ keep_all_days: 1 })).toEqual(['2026-03-03', '2026-03-02', '2030-05-05']);
    // A copy keeps the time of its restore point, which is before its completion.
    const copies = days.map((restorePoint) => ({ restorePoint, completedAt: ahead, pinned: false }));
    expect(decideRetention(copies, policy({ daily: 9 })).filter((one) => one.keptBecause.length > 0)).toHaveLength(4);
  });

  describe('and runs of a clock that was wrong', () => {
    const REAL = [
      '2026-05-01T12:00Z',
      '2026-05-02T12:00Z',
      '2026-05-03T12:00Z',
      '2026-05-04T12:00Z',
      '2026-05-05T12:00Z',
    ];
    const BACK = '2026-05-06T12:00Z';
    const now = Date.parse('2026-05-06T13:00Z');
    const left = (completed: readonly string[], rules: Partial<RetentionPolicy>, at = now): string[] =>
      inOrder(completed.map(Date.parse))
        .filter(
          (_, index, all) => decideRetention(all, policy(rules), at)[all.length - 1 - index]!.keptBecause.length > 0,
        )
        .map(({ completedAt }) => new Date(completedAt).toISOString().slice(0, 10));
    const lastThree = ['2026-05-04', '2026-05-05', '2026-05-06'];

    test.each([
      ['ahead once', ['2100-01-02T12:00Z']],
      ['ahead three times', ['2100-01-02T12:00Z', '2101-01-02T12:00Z', '2102-01-02T12:00Z']],
      ['behind once', ['2020-01-02T12:00Z']],
      ['behind three times', ['2000-01-01T00:00Z', '2000-01-02T00:00Z', '2020-01-02T12:00Z']],
    ])('they cost no real day: %s', (_, wrong) => {
      expect(left([...REAL, ...wrong, BACK], { daily: 3 })).toEqual(expect.arrayContaining(lastThree));
      // Nor do they once the time has come, if it does.
      expect(left([...REAL, ...wrong, BACK], { daily: 3 }, Date.parse('2110-01-01T00:00Z'))).toEqual(
        expect.arrayContaining(lastThree),
      );
    });

    test('a clock that is far behind costs no day before it is right again', () => {
      const behind = ['2000-01-01T00:00Z', '2000-01-02T00:00Z'];
      expect(left([...REAL, ...behind], { daily: 3 }, Date.parse('2000-01-02T01:00Z'))).toEqual([
        ...REAL.slice(2).map((time) => time.slice(0, 10)),
        ...behind.map((time) => time.slice(0, 10)),
      ]);
    });

    test('a clock that was ahead costs no day before the next run', () => {
      expect(left([...REAL, '2100-01-02T12:00Z'], { daily: 3 })).toEqual([
        ...REAL.slice(2).map((time) => time.slice(0, 10)),
        '2100-01-02',
      ]);
    });

    test('what a clock that was ahead held up goes once three days have shown that it was', () => {
      const days = [BACK, '2026-05-07T12:00Z', '2026-05-08T12:00Z'];
      const at = Date.parse('2026-05-08T13:00Z');
      const kept = left([...REAL, '2100-01-02T12:00Z', ...days], { daily: 3 }, at);
      expect(kept).toEqual(['2026-05-06', '2026-05-07', '2026-05-08']);
    });
  });

  describe('and runs that lost most of their files', () => {
    /** Runs of 100 files at 8:00 and 12:00 of each day of March, and one of `files` each evening from the 10th on. */
    const made = (files: number) => {
      const mornings = Array.from({ length: 20 }, (_, index) => Date.parse('2026-03-01T08:00Z') + index * DAY);
      const evenings = mornings.slice(9).map((morning) => morning + 12 * HOUR);
      return [
        ...mornings.flatMap((morning) => [
          { restorePoint: morning, pinned: false, files: 100 },
          { restorePoint: morning + 4 * HOUR, pinned: false, files: 100 },
        ]),
        ...evenings.map((restorePoint) => ({ restorePoint, pinned: false, files })),
      ];
    };
    const whole = (of: ReturnType<typeof made>, rules: Partial<RetentionPolicy>): number =>
      decideRetention(of, policy(rules)).filter(
        ({ point, keptBecause }) => point.files === 100 && keptBecause.length > 0,
      ).length;

    test('they displace no other', () => {
      expect(whole(made(0), { daily: 7 })).toBe(14);
      // The weeks add the morning of the 9th, that of the 2nd, and the noon of the 8th.
      expect(whole(made(49), { daily: 7, weekly: 3 })).toBe(17);
      // They are kept for as many days themselves.
      const lossy = decideRetention(made(0), policy({ daily: 7 })).filter((one) => one.point.files === 0);
      expect(lossy.filter(({ keptBecause }) => keptBecause.length > 0)).toHaveLength(7);
    });

    test('half of the files are enough', () => {
      // The evening's takes the place of the noon's.
      expect(whole(made(50), { daily: 7 })).toBe(7);
    });

    test('the files are expected for 30 days', () => {
      const full = { restorePoint: Date.parse('2026-01-01T08:00Z'), pinned: false, files: 100 };
      const empty = (days: number) => ({ restorePoint: full.restorePoint + days * DAY, pinned: false, files: 1 });
      const days = Array.from({ length: 60 }, (_, index) => empty(index + 1));
      const isFullKept = (until: number): boolean =>
        decideRetention([full, ...days.slice(0, until)], policy({ daily: 3 })).at(-1)!.keptBecause.length > 0;
      expect(isFullKept(30)).toBe(true);
      expect(isFullKept(31)).toBe(true);
      expect(isFullKept(33)).toBe(false);
    });

    test('the files are expected for 30 days also when the policy is applied after each run', () => {
      const full = { restorePoint: Date.parse('2026-01-01T08:00Z'), pinned: false, files: 100 };
      let there = [full];
      const keptUntil: boolean[] = [];
      for (let day = 1; day <= 40; day += 1) {
        there.push({ restorePoint: full.restorePoint + day * DAY, pinned: false, files: 1 });
        there = decideRetention(there, policy({ daily: 3 })).flatMap(({ point, keptBecause }) =>
          keptBecause.length > 0 ? [point] : [],
        );
        keptUntil.push(there.includes(full));
      }
      expect(keptUntil.lastIndexOf(true) + 1).toBe(32);
    });

    test('what tells that a run lost most of the files stays as long as the run does', () => {
      const at = (day: number, files: number, pinned = false) => ({
        restorePoint: Date.parse('2026-01-30T08:00Z') + day * DAY,
        pinned,
        files,
      });
      // The pinned loss on the first of February would otherwise be the oldest run of that month.
      const made = [at(0, 100), at(2, 1, true), at(3, 100), at(9, 100), at(12, 100)];
      const decided = decideRetention(made, policy({ monthly: 1 })).toReversed();
      expect(decided.map(({ keptBecause }) => keptBecause)).toEqual([
        ['loss'],
        ['pinned', 'monthly'],
        ['monthly'],
        [],
        ['newest', 'monthly'],
      ]);
    });

    test('a small set may lose most', () => {
      const small = (files: number, hour: number) => ({ restorePoint: hour * HOUR, pinned: false, files });
      const kept = decideRetention([small(49, 1), small(49, 2), small(0, 3)], policy({ daily: 1 }));
      expect(kept.map(({ keptBecause }) => keptBecause.length > 0)).toEqual([true, false, true]);
    });
  });

  test('counts the last days from now when the newest restore point is in the future', () => {
    const times = ['2026-03-01T10:00Z', '2026-03-03T09:00Z', '2030-05-05T12:00Z'];
    const kept = decideRetention(points(times), policy({ keep_all_days: 1 }), Date.parse('2026-03-03T10:00Z'));
    expect(kept.map(({ keptBecause }) => keptBecause.length > 0)).toEqual([true, true, false]);
  });

  describe('of many days, after a gap of more than a week, which may be a clock that is ahead', () => {
    const DAILY = ['2026-01-01T10:00Z', '2026-01-02T10:00Z', '2026-01-03T10:00Z', '2026-01-04T10:00Z'];
    const AHEAD = ['2026-02-14T10:00Z', '2026-02-14T11:00Z', '2026-02-15T10:00Z'];

    test('keeps what there was until three days with restore points follow the gap', () => {
      for (const count of [1, 2, 3]) {
        const times = [...DAILY, ...AHEAD.slice(0, count)];
        expect(kept(times, { keep_all_days: 30 })).toHaveLength(times.length);
      }
      expect(kept([...DAILY, ...AHEAD, '2026-02-16T10:00Z'], { keep_all_days: 30 })).toHaveLength(4);
    });

    test('counts from the days before the gap meanwhile', () => {
      const times = ['2025-12-01T10:00Z', '2025-12-05T11:00Z', ...DAILY, AHEAD[0]!];
      expect(kept(times, { keep_all_days: 30 })).toEqual([
        '2025-12-05T11:00',
        ...DAILY.map((time) => time.slice(0, 16)),
        '2026-02-14T10:00',
      ]);
    });

    test('goes on from now once the clock is right', () => {
      const times = [...DAILY, AHEAD[0]!];
      const left = decideRetention(points(times), policy({ keep_all_days: 2 }), Date.parse('2026-01-05T09:00Z'));
      expect(left.map(({ keptBecause }) => keptBecause.length > 0)).toEqual([true, true, true, false, false]);
    });

    test('drops nothing earlier if the gap is between times of a clock that was ahead', () => {
      const began = Date.parse('2026-01-01T00:00Z');
      // Ahead by nine days, by two, and right again.
      const made = [9 * DAY + HOUR, 2 * DAY, 0, 0].map((ahead) => began + ahead);
      const dated = made.map((completedAt, index) => ({ restorePoint: made[0]! + index, completedAt, pinned: false }));
      const left = decideRetention(dated, policy({ keep_all_days: 2 }), made[0]);
      expect(left.map(({ keptBecause }) => keptBecause.length > 0)).toEqual([true, true, true, true]);
    });

    test('drops nothing of the last days before the newest restore point or now, whatever the clocks were', () => {
      const began = Date.parse('2026-01-01T00:00Z');
      const hours = fc.array(fc.integer({ min: 0, max: 40 * 24 }), { minLength: 1, maxLength: 8 });
      fc.assert(
        fc.property(hours, fc.integer({ min: 1, max: 10 }), fc.integer({ min: 0, max: 40 * 24 }), (made, days, at) => {
          let latest = 0;
          const dated = made.map((hour) => {
            const completedAt = began + hour * HOUR;
            latest = Math.max(latest + 1, completedAt);
            return { restorePoint: latest, completedAt, pinned: false };
          });
          const now = began + at * HOUR;
          const from = Math.min(dated.at(-1)!.completedAt, now) - days * DAY;
          const dropped = decideRetention(dated, policy({ keep_all_days: days }), now).filter(
            ({ keptBecause }) => keptBecause.length === 0,
          );
          expect(dropped.filter(({ point }) => point.completedAt > from)).toEqual([]);
        }),
        { numRuns: 500 },
      );
    });

    test('does not hold up a policy of fewer days, nor runs that are a week apart', () => {
      expect(kept([...DAILY, ...AHEAD], { keep_all_days: 2 })).toEqual(AHEAD.map((time) => time.slice(0, 16)));
      const weekly = ['2026-01-01T10:00Z', '2026-01-08T10:00Z', '2026-01-15T10:00Z', '2026-01-22T10:00Z'];
      expect(kept(weekly, { keep_all_days: 10 })).toHaveLength(2);
    });
  });

  test('counts days of its time zone', () => {
    // 23:30 and 00:30 in Berlin, one hour apart, are two days; in UTC they are one.
    const times = ['2026-01-10T22:30Z', '2026-01-10T22:45Z', '2026-01-10T23:30Z'];
    expect(kept(times, { daily: 5, time_zone: 'Europe/Berlin' })).toHaveLength(3);
    expect(kept(times, { daily: 5 })).toHaveLength(2);
    // Half an hour past the hour in India.
    const half = ['2026-01-10T10:20Z', '2026-01-10T10:25Z', '2026-01-10T10:40Z'];
    expect(kept(half, { hourly: 5, time_zone: 'Asia/Kolkata' })).toHaveLength(3);
    expect(kept(half, { hourly: 5 })).toHaveLength(2);
  });

  test('counts the repeated hour when clocks are set back as two, in one day', () => {
    // 02:30 summer time in Berlin, and an hour later 02:30 winter time.
    const times = ['2026-10-25T00:30Z', '2026-10-25T00:40Z', '2026-10-25T01:30Z'];
    expect(kept(times, { hourly: 5, time_zone: 'Europe/Berlin' })).toHaveLength(3);
    // The day has 25 hours.
    const day = ['2026-10-24T22:00Z', '2026-10-25T12:00Z', '2026-10-25T22:59Z', '2026-10-25T23:00Z'];
    expect(kept(day, { daily: 5, time_zone: 'Europe/Berlin' })).toEqual([
      '2026-10-24T22:00',
      '2026-10-25T22:59',
      '2026-10-25T23:00',
    ]);
    // A day in spring has 23.
    const spring = ['2026-03-28T23:00Z', '2026-03-29T12:00Z', '2026-03-29T21:59Z', '2026-03-29T22:00Z'];
    expect(kept(spring, { daily: 5, time_zone: 'Europe/Berlin' })).toEqual([
      '2026-03-28T23:00',
      '2026-03-29T21:59',
      '2026-03-29T22:00',
    ]);
  });

  test('is invalid if it keeps nothing or its time zone is unknown', () => {
    expect(retentionPolicy.safeParse({}).success).toBe(false);
    expect(retentionPolicy.safeParse({ daily: 7, time_zone: 'Mars/Olympus' }).success).toBe(false);
    expect(retentionPolicy.safeParse({ daily: -1 }).success).toBe(false);
    expect(retentionPolicy.parse({ daily: 7 })).toMatchObject({ daily: 7, time_zone: 'UTC', hourly: 0 });
  });
});

describe('any restore points and any policy', () => {
  const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Apia');
  const number = fc.integer({ min: 0, max: 6 });
  const policies: fc.Arbitrary<RetentionPolicy> = fc.record({
    keep_all_days: number,
    hourly: number,
    daily: number,
    weekly: number,
    monthly: number,
    yearly: number,
    time_zone: zones,
  });
  const start = Date.parse('2011-06-01T00:00:00Z');
  const times = fc.uniqueArray(
    fc.oneof(
      fc.integer({ min: 0, max: 40 * 24 }).map((hours) => start + 180 * DAY + hours * HOUR),
      fc.integer({ min: 0, max: 4 * 365 * 24 * 4 }).map((quarters) => start + (quarters * HOUR) / 4),
    ),
    { maxLength: 60 },
  );
  /** Every seventh run was completed at another time than its restore point's. */
  const wrongNowAndThen = (time: number): number => ((time / HOUR) % 7 < 1 ? time - (time % (90 * DAY)) : time);
  const survivors = (of: readonly number[], rules: RetentionPolicy, completed = (time: number) => time): number[] =>
    decideRetention(
      of.map((restorePoint) => ({ restorePoint, completedAt: completed(restorePoint), pinned: false })),
      rules,
    )
      .filter(({ keptBecause }) => keptBecause.length > 0)
      .map(({ point }) => point.restorePoint);

  test('keep the same when applied again', () =>
    fc.assert(
      fc.property(times, policies, (of, rules) => {
        const once = survivors(of, rules);
        expect(survivors(once, rules)).toEqual(once);
      }),
    ));

  /** Runs of sets that lose most of their files now and then, or for good, some pinned, some with an unknown count. */
  const runs = fc
    .uniqueArray(
      fc.oneof(
        fc.integer({ min: 0, max: 40 * 24 }).map((hours) => start + 180 * DAY + hours * HOUR),
        fc.integer({ min: 0, max: 400 }).map((days) => start + days * DAY),
      ),
      { maxLength: 50 },
    )
    .chain((of) =>
      fc.tuple(
        ...of.map((restorePoint) =>
          fc.record({
            restorePoint: fc.constant(restorePoint),
            files: fc.oneof(
              { weight: 4, arbitrary: fc.constantFrom(100, 60, 31, 29) },
              { weight: 3, arbitrary: fc.constantFrom(0, 10, 1000) },
              { weight: 1, arbitrary: fc.constant(undefined) },
            ),
            pinned: fc.integer({ min: 0, max: 15 }).map((one) => one === 0),
          }),
        ),
      ),
    );
  const left = (of: readonly DatedPoint[], rules: RetentionPolicy): readonly DatedPoint[] =>
    decideRetention(of, rules)
      .filter(({ keptBecause }) => keptBecause.length > 0)
      .map(({ point }) => point);

  test('keep the same when applied again after runs that lost most of the files', () =>
    fc.assert(
      fc.property(runs, policies, (of, rules) => {
        const once = left(of, rules);
        expect(left(once, rules)).toEqual(once);
      }),
      { seed: 285, numRuns: orThorough(1500, 5000) },
    ));

  test('keep every restore point that they would keep without the runs that lost most of the files', () =>
    fc.assert(
      fc.property(runs, policies, (of, rules) => {
        // Every run of this set is whole, and those of one file are told by the first.
        const whole = of.map((point) => Object.assign({}, point, { files: (point.files ?? 0) < 30 ? 1 : 100 }));
        const sorted = whole.toSorted((a, b) => a.restorePoint - b.restorePoint);
        const from = sorted.findIndex(({ files }) => files === 100);
        const told = sorted.slice(Math.max(0, from)).filter(({ restorePoint }) => restorePoint < start + 30 * DAY);
        const good = told.filter(({ files }) => files === 100);
        const kept = new Set(left(told, { ...rules, keep_all_days: 0 }));
        const expected = decideRetention(good, { ...rules, keep_all_days: 0 }).filter(({ keptBecause }) =>
          keptBecause.some((reason) => reason !== 'newest'),
        );
        expect(expected.filter(({ point }) => !kept.has(point))).toEqual([]);
      }),
      { seed: 286, numRuns: orThorough(700, 2000) },
    ));

  test('keep the same whether the policy is applied often or rarely', () =>
    fc.assert(
      fc.property(times, policies, fc.integer({ min: 0, max: 60 }), (of, rules, cut) => {
        const sorted = of.toSorted((a, b) => a - b);
        const early = survivors(sorted.slice(0, cut), rules);
        expect(survivors([...early, ...sorted.slice(cut)], rules)).toEqual(survivors(sorted, rules));
      }),
    ));

  test('keep more under a policy with higher counts', () =>
    fc.assert(
      fc.property(times, policies, policies, (of, rules, more) => {
        const larger = { ...rules };
        for (const key of ['keep_all_days', 'hourly', 'daily', 'weekly', 'monthly', 'yearly'] as const) {
          larger[key] += more[key];
        }
        const before = new Set(survivors(of, larger, wrongNowAndThen));
        expect(survivors(of, rules, wrongNowAndThen).filter((time) => !before.has(time))).toEqual([]);
      }),
    ));

  test('keep the newest, and no more than the policy counts', () =>
    fc.assert(
      fc.property(times, policies, (of, rules) => {
        const left = survivors(of, { ...rules, keep_all_days: 0 });
        const { hourly, daily, weekly, monthly, yearly } = rules;
        const counted = 2 * (hourly + daily + weekly + monthly + yearly);
        expect(left.length).toBeLessThanOrEqual(1 + counted);
        // As many for each way to believe times that contradict each other.
        const most = survivors(of, { ...rules, keep_all_days: 0 }, wrongNowAndThen).length;
        expect(most).toBeLessThanOrEqual(1 + 4 * counted);
        if (of.length > 0) expect(left[0]).toBe(Math.max(...of));
      }),
    ));

  describe('keep what they would keep without runs of a clock that was wrong', () => {
    /** Days of a clock that was right, a run of which may be followed by some of a clock that was not. */
    const days = fc.uniqueArray(fc.integer({ min: 0, max: 120 * 4 }), { minLength: 2, maxLength: 30 });
    const places = fc.array(
      fc.record({ after: fc.integer({ min: 0, max: 28 }), hours: fc.integer({ min: 1, max: 400 * 24 }) }),
      { maxLength: 12 },
    );
    interface Wrong {
      readonly after: number;
      readonly time: (next: number, previous: number, end: number) => number;
    }
    const isKept = (made: readonly number[], rules: RetentionPolicy, now: number): ReadonlySet<number> =>
      new Set(
        decideRetention(inOrder(made), rules, now).flatMap(({ point, keptBecause }) =>
          keptBecause.some((reason) => reason !== 'newest') ? [point.completedAt] : [],
        ),
      );
    const lostBy = (
      of: readonly number[],
      wrong: readonly Wrong[],
      rules: RetentionPolicy,
      last = of.length - 1,
    ): number[] => {
      const real = of.toSorted((a, b) => a - b).map((quarter) => start + quarter * 6 * HOUR);
      const end = real.at(-1)!;
      const made = real.flatMap((time, index) => [
        time,
        // Usually a run of a clock that was right is the last one.
        ...wrong
          .filter(({ after }) => after % last === index)
          .map((one) => one.time(real[index + 1] ?? end, time, end) + 1),
      ]);
      const rest = { ...rules, keep_all_days: 0 };
      const kept = isKept(made, rest, end);
      return [...isKept(real, rest, end)].filter((time) => !kept.has(time));
    };

    test('ahead', () =>
      fc.assert(
        fc.property(days, places, policies, (of, at, rules) => {
          const wrong = at.map(({ after, hours }) => ({ after, time: (next: number) => next + hours * HOUR }));
          expect(lostBy(of, wrong, rules)).toEqual([]);
        }),
        { numRuns: orThorough(500, 5000) },
      ));

    test('behind', () =>
      fc.assert(
        fc.property(days, places, policies, (of, at, rules) => {
          const wrong = at.map(({ after, hours }) => ({
            after,
            time: (_: number, previous: number) => previous - hours * HOUR,
          }));
          expect(lostBy(of, wrong, rules)).toEqual([]);
        }),
        { numRuns: orThorough(500, 5000) },
      ));

    test('ahead of now, or behind, also the newest', () =>
      fc.assert(
        fc.property(days, places, policies, (of, at, rules) => {
          const wrong = at.map(({ after, hours }, index) => ({
            after,
            time: (_: number, previous: number, end: number) =>
              index % 2 === 1 ? end + hours * HOUR : previous - hours * HOUR,
          }));
          expect(lostBy(of, wrong, rules, of.length)).toEqual([]);
        }),
        { numRuns: orThorough(500, 5000) },
      ));
  });
});
