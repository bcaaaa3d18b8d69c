import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OperationContext } from '../../../src/agent/context/operation-context.ts';
import { changesOfKnown } from '../../../src/agent/operations/known-points.ts';
import type { RestorePoint } from '../../../src/protocol/extensions.ts';
import { retentionPolicy, type RetentionPolicy } from '../../../src/protocol/retention.ts';
import { completionOf } from '../../../src/protocol/timestamp.ts';
import { decideRetention } from '../../../src/rules/retention-policy.ts';

const HOUR = 3_600_000;
const YEARS = 3650 * 24 * HOUR;

/** A restore point at a service, which also knows when its run was completed. */
interface Stored extends RestorePoint {
  readonly completed: number;
}

/** One run and what follows it. */
interface Step {
  readonly hours: number;
  readonly files: number;
  readonly isApplied: boolean;
  /** The service's clock is years ahead during this run. */
  readonly isAhead: boolean;
}

const count = fc.integer({ min: 0, max: 4 });
const policies = fc
  .record({ keep_all_days: count, hourly: count, daily: count, weekly: count, monthly: count, yearly: count })
  .filter((rules) => Object.values(rules).some((value) => value > 0))
  .map((rules) => retentionPolicy.parse(rules));
const steps = (ahead: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      hours: fc.integer({ min: 1, max: 400 }),
      files: fc.constantFrom(1, 40, 100, 120, 1_000),
      isApplied: fc.boolean(),
      isAhead: fc.integer({ min: 1, max: 100 }).map((chance) => chance <= ahead),
    }),
    { maxLength: 30 },
  );

/** Runs, of which the policy removes some from time to time. Compares after each what the service lists with what the computer made. */
async function warningsOf(policy: RetentionPolicy, all: readonly Step[]): Promise<readonly string[]> {
  let now = Date.parse('2026-01-01T00:00:00.000Z');
  let there: Stored[] = [];
  let known: RestorePoint[] = [];
  let latest = 0;
  const warnings: string[] = [];
  for (const { hours, files, isApplied, isAhead } of all) {
    now += hours * HOUR;
    const completed = isAhead ? now + YEARS : now;
    latest = Math.max(latest + 1, completed);
    const point = { restore_point: new Date(latest).toISOString(), backup_id: `run ${latest}`, files, bytes: 0 };
    there.unshift({ ...point, ...completionOf(latest, completed), completed });
    known.unshift(point);
    if (isApplied) there = kept(there, policy, now);
    const changes = await compared(policy, now, there, known);
    warnings.push(...changes.warnings.map(({ path, reason }) => `${reason} ${path}`));
    known = known.filter((one) => !changes.missing.includes(one));
  }
  return warnings;
}

function kept(points: readonly Stored[], policy: RetentionPolicy, now: number): Stored[] {
  const dated = points.map((point) => ({
    point,
    restorePoint: Date.parse(point.restore_point),
    completedAt: point.completed,
    pinned: false,
    files: point.files,
  }));
  return decideRetention(dated, policy, now)
    .filter(({ keptBecause }) => keptBecause.length > 0)
    .map(({ point: { point } }) => point);
}

function compared(
  policy: RetentionPolicy | null,
  now: number,
  listed: readonly RestorePoint[],
  known: readonly RestorePoint[],
): ReturnType<typeof changesOfKnown> {
  const context = {
    access: {
      service: { manifests: 'compare', now: () => now },
      retention: async () => ({ state: { policy } }),
    },
    settings: { deviceId: 'dev_1' },
  } as unknown as OperationContext;
  return changesOfKnown(context, { set: 'docs', listed, known, signal: undefined });
}

test('what a policy removes is never reported as missing, whenever it is applied', async () => {
  await fc.assert(
    fc.asyncProperty(policies, steps(0), async (policy, all) => {
      expect(await warningsOf(policy, all)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test('nor if the clock of the service was far ahead now and then', async () => {
  await fc.assert(
    fc.asyncProperty(policies, steps(15), async (policy, all) => {
      expect(await warningsOf(policy, all)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
