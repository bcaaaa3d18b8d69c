import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OperationContext } from '../../../../src/agent/context/operation-context.ts';
import { changesOfKnown } from '../../../../src/agent/context/known-points.ts';
import type { KnownPoint } from '../../../../src/catalog/history.ts';
import type { RestorePoint } from '../../../../src/protocol/extensions.ts';
import { retentionPolicy, type RetentionPolicy } from '../../../../src/protocol/retention.ts';
import { completionOf } from '../../../../src/base/point-time.ts';
import { decideRetention } from '../../../../src/rules/retention-policy.ts';
import { orThorough } from '../../../helpers/thorough.ts';

const HOUR = 3_600_000;
const BEGINNING = Date.parse('2026-01-01T00:00:00.000Z');

interface Stored extends RestorePoint {
  readonly completed: number;
  readonly isPinned: boolean;
}

/** What happens at an honest service. */
type Step =
  | { readonly kind: 'run'; readonly files: number; readonly looks: boolean }
  | { readonly kind: 'time'; readonly hours: number }
  /** The service's clock differs from the time by so many hours from now on. */
  | { readonly kind: 'clock'; readonly hours: number }
  | { readonly kind: 'policy'; readonly policy: RetentionPolicy | undefined }
  | { readonly kind: 'pin'; readonly point: number; readonly isPinned: boolean }
  | { readonly kind: 'apply' }
  | { readonly kind: 'look' };

const count = fc.integer({ min: 0, max: 4 });
const policies = fc
  .record({ keep_all_days: count, hourly: count, daily: count, weekly: count, monthly: count, yearly: count })
  .filter((rules) => Object.values(rules).some((value) => value > 0))
  .map((rules) => retentionPolicy.parse(rules));
const run = fc.record({
  kind: fc.constant('run' as const),
  files: fc.constantFrom(1, 40, 100, 120, 1_000),
  looks: fc.boolean(),
});
const time = fc.record({ kind: fc.constant('time' as const), hours: fc.integer({ min: 1, max: 400 }) });
const ordinary = [
  { weight: 6, arbitrary: run as fc.Arbitrary<Step> },
  { weight: 6, arbitrary: time as fc.Arbitrary<Step> },
  { weight: 3, arbitrary: fc.constant<Step>({ kind: 'apply' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'look' }) },
];
const clocks = {
  weight: 2,
  arbitrary: fc.record({
    kind: fc.constant('clock' as const),
    // Seconds, an hour, days and years, ahead and behind.
    hours: fc.oneof(
      fc.constant(0),
      fc.integer({ min: -30, max: 30 }).map((hours) => hours / 3_600),
      fc.integer({ min: -600, max: 600 }),
      fc.constant(87_600),
    ),
  }) as fc.Arbitrary<Step>,
};
const changes = {
  weight: 2,
  arbitrary: fc.record({
    kind: fc.constant('policy' as const),
    policy: fc.option(policies, { nil: undefined }),
  }) as fc.Arbitrary<Step>,
};
const pins = {
  weight: 1,
  arbitrary: fc.record({
    kind: fc.constant('pin' as const),
    point: fc.nat(10),
    isPinned: fc.boolean(),
  }) as fc.Arbitrary<Step>,
};
type Weighted = { readonly weight: number; readonly arbitrary: fc.Arbitrary<Step> };
const histories = (...more: readonly Weighted[]): fc.Arbitrary<Step[]> =>
  fc.array(fc.oneof(...ordinary, ...more), { maxLength: 60, size: 'max' });

/** An honest service, and a computer that compares what it lists with what it made. */
class Model {
  #now = BEGINNING;
  #clock = 0;
  #latest = 0;
  #policy: RetentionPolicy | undefined;
  #policySince: number | undefined;
  #there: Stored[] = [];
  #known: KnownPoint[] = [];
  readonly warnings: string[] = [];

  constructor(policy: RetentionPolicy | undefined) {
    this.#policy = policy;
  }

  get #serviceTime(): number {
    return this.#now + Math.round(this.#clock * HOUR);
  }

  async play(steps: readonly Step[]): Promise<void> {
    for (const step of steps) await this.#take(step);
    await this.#look();
  }

  async #take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'time':
        this.#now += step.hours * HOUR;
        return;
      case 'clock':
        this.#clock = step.hours;
        return;
      case 'policy':
        this.#policy = step.policy;
        this.#policySince = this.#there[0] && Date.parse(this.#there[0].restore_point);
        return;
      case 'pin':
        this.#there = this.#there.map((point, index) =>
          index === step.point ? { ...point, isPinned: step.isPinned } : point,
        );
        return;
      case 'apply':
        this.#apply();
        return;
      case 'look':
        return this.#look();
      case 'run':
        // Each run looks at its beginning; the destination may not answer.
        if (step.looks) await this.#look();
        this.#run(step.files);
    }
  }

  #run(files: number): void {
    const completed = this.#serviceTime;
    this.#latest = Math.max(this.#latest + 1, completed);
    const restorePoint = new Date(this.#latest).toISOString();
    const point = { restore_point: restorePoint, backup_id: `run ${this.#latest}`, files, bytes: 0 };
    const dated = { ...point, ...completionOf(this.#latest, completed) };
    this.#there.unshift({ ...dated, completed, isPinned: false });
    this.#known.unshift({ ...dated, isListed: false });
  }

  #apply(): void {
    if (!this.#policy) return;
    const dated = this.#there.map((point) => ({
      point,
      restorePoint: Date.parse(point.restore_point),
      completedAt: point.completed,
      pinned: point.isPinned,
      files: point.files,
    }));
    this.#there = decideRetention(dated, this.#policy, this.#serviceTime)
      .filter(({ keptBecause }) => keptBecause.length > 0)
      .map(({ point: { point } }) => point);
  }

  async #look(): Promise<void> {
    const since = this.#policySince === undefined ? null : new Date(this.#policySince).toISOString();
    const found = await compared(this.#policy ?? null, since, this.#there, this.#known);
    this.warnings.push(...found.warnings.map(({ path, reason }) => `${reason} ${path}`));
    const ids = new Set(this.#there.map(({ backup_id: id }) => id));
    this.#known = this.#known
      .filter(({ backup_id: id }) => ids.has(id))
      .map((point) => Object.assign(point, { isListed: true }));
  }
}

function compared(
  policy: RetentionPolicy | null,
  since: string | null,
  listed: readonly RestorePoint[],
  known: readonly KnownPoint[],
): ReturnType<typeof changesOfKnown> {
  const context = {
    access: {
      service: { manifests: 'compare' },
      retention: async () => ({ state: { policy, policy_since: since } }),
    },
    settings: { deviceId: 'dev_1' },
  } as unknown as OperationContext;
  return changesOfKnown(context, { set: 'docs', listed, known, signal: undefined });
}

describe('an honest service', () => {
  const isNeverAccused = async (...kinds: readonly Weighted[]): Promise<void> => {
    await fc.assert(
      fc.asyncProperty(fc.option(policies, { nil: undefined }), histories(...kinds), async (policy, steps) => {
        const model = new Model(policy);
        await model.play(steps);
        expect(model.warnings).toEqual([]);
      }),
      { numRuns: Number(process.env['HOLDFAST_HISTORIES'] ?? orThorough(50, 150)) },
    );
  };

  test('is not accused of what its policy removes, whenever it is applied', () => isNeverAccused());
  test('nor of what is removed while its clock is ahead or behind, or after that', () => isNeverAccused(clocks));
  test('nor of what an earlier policy removed', () => isNeverAccused(changes));
  test('nor if its clock, its policy and its pins change', () => isNeverAccused(clocks, changes, pins));
});

describe('a service that hides a restore point', () => {
  const point = (day: number): KnownPoint => ({
    restore_point: new Date(BEGINNING + day * 24 * HOUR).toISOString(),
    backup_id: `run ${day}`,
    files: 1,
    bytes: 0,
    isListed: day < 9,
  });
  const known = Array.from({ length: 10 }, (_, index) => point(9 - index));
  const weekly = retentionPolicy.parse({ keep_all_days: 7 });
  const hidden = async (day: number, since: string | null, policy: RetentionPolicy | null = weekly) =>
    (
      await compared(
        policy,
        since,
        known.filter(({ backup_id: id }) => id !== `run ${day}`),
        known,
      )
    ).warnings.map(({ path }) => path);

  test('is noticed if the policy keeps it', async () => {
    expect(await hidden(5, null)).toEqual([`docs ${point(5).restore_point}`]);
    expect(await hidden(1, null)).toEqual([]);
    expect(await hidden(1, null, null)).toEqual([`docs ${point(1).restore_point}`]);
  });

  test('is noticed if the policy is older than the last time at which it was seen', async () => {
    expect(await hidden(5, point(7).restore_point)).toEqual([`docs ${point(5).restore_point}`]);
    expect(await hidden(5, point(8).restore_point)).toEqual([]);
  });

  test('is noticed if it is the newest one, or was made after the policy', async () => {
    expect(await hidden(9, point(9).restore_point)).toEqual([`docs ${point(9).restore_point}`]);
    const more = { ...point(10), isListed: false };
    const all = [more, ...known];
    const since = point(8).restore_point;
    const without = all.filter(({ backup_id: id }) => id !== 'run 9');
    expect((await compared(weekly, since, without, all)).warnings).toHaveLength(1);
  });

  test('is noticed although its clock was ahead once', async () => {
    const late = known.map((one, index) =>
      index < 4 ? Object.assign(one, { completed_at: point(5 + 0.1 * (4 - index)).restore_point }) : one,
    );
    const without = late.filter(({ backup_id: id }) => id !== 'run 7');
    expect((await compared(weekly, null, without, late)).warnings).toHaveLength(1);
  });
});
