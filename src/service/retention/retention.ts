import type {
  RetainedPoint,
  RetentionAnswer,
  RetentionPolicy,
  RetentionRequest,
  RetentionState,
  SuspiciousRun,
} from '../../protocol/retention.ts';
import { completionOf } from '../../base/point-time.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { ServiceContext } from '../context.ts';
import { ServiceProblem } from '../request/problem.ts';
import type { RetentionFacts, SetReference, StoredPoint } from './retention-facts.ts';
import type { RetentionStore } from './retention-store.ts';
import { previousDetails, type AuditKind } from '../audit/audit-store.ts';
import { GRACE } from './collect-chunks.ts';
import { freedSpace, type Freed, type LeavingPoint } from './freed-space.ts';
import { decideRetention, type KeptBecause } from '../../rules/retention-policy.ts';
import { describedPolicy, auditedRetention, pointDetails } from './audited-retention.ts';
import { judgeRemoval, lockEnd, witnessTimes, type RemovalVerdict } from '../../rules/removal-decision.ts';

/** The newest alarms that are searched for those of one set. */
const ALARMS_LOOKED_AT = 200;

/** The decision about one restore point. */
interface DecidedPoint {
  readonly point: StoredPoint;
  readonly keptBecause: readonly KeptBecause[];
  /** Milliseconds since the epoch; 0 if it is not locked. */
  readonly lockedUntil: number;
  readonly verdict: RemovalVerdict;
}

/**
 * Performs one retention request for a set; the caller has checked permissions. Removed restore points are gone when this resolves;
 * housekeeping frees their space later.
 *
 * @param by the user's id, for the audit log
 * @throws ServiceProblem `not_found`; `conflict` if the restore point cannot be removed, or a minimum would become shorter
 */
export async function performRetention(
  context: ServiceContext,
  accountId: string,
  request: RetentionRequest,
  by?: string,
): Promise<RetentionAnswer> {
  const set = await findSet(context, accountId, request);
  const { clock } = context;
  /** Returns the store for one change that is recorded in the audit log. */
  const audited = (
    kind: AuditKind,
    details?: Readonly<Record<string, string>>,
    isChange?: (result: unknown) => boolean,
  ) => auditedRetention(context, accountId, request, { kind, userId: by, details, isChange });
  switch (request.action) {
    case 'show':
      return answer(context, set);
    case 'preview': {
      const { facts } = await decidedPoints(context, set);
      const policy = request.policy ?? facts.settings.policy;
      return answer(context, set, policy, await leavingPoints(context, set, facts, { policy, when: 'sometime' }));
    }
    case 'set':
      await audited('retention.changed', await changedPolicy(context, set, request.policy)).setPolicy(
        set.setNumber,
        request.policy ?? undefined,
        clock.now(),
      );
      return answer(context, set);
    case 'apply': {
      const { facts } = await decidedPoints(context, set);
      const { points, frees } = await leavingPoints(context, set, facts, {
        policy: facts.settings.policy,
        when: 'now',
      });
      const retention = audited('retention.applied', { removed: String(points.length) }, isNotEmpty);
      const removed = new Set(await applyPolicy({ clock, retention }, set));
      return answer(context, set, undefined, { points: points.filter(({ session }) => removed.has(session)), frees });
    }
    case 'pin': {
      const point = await findPoint(context, set, request.backup_id);
      await audited('restore_point.pinned', pointDetails(point)).pin(point.session, clock.now());
      // It may have been removed meanwhile.
      await findPoint(context, set, request.backup_id);
      return answer(context, set);
    }
    case 'unpin': {
      const point = await findPoint(context, set, request.backup_id);
      await audited('restore_point.unpinned', pointDetails(point)).unpin(point.session);
      return answer(context, set);
    }
    case 'remove': {
      const point = await findPoint(context, set, request.backup_id);
      const retention = audited('restore_point.removed', pointDetails(point), isNotEmpty);
      return answer(context, set, undefined, await removePoint({ clock, retention }, set, point));
    }
    case 'lock': {
      const { scope, minimum_days: days } = request;
      const details = { scope, minimum_days: String(days) };
      const retention = audited('retention.locked', details, (minimum) => minimum === days);
      await lengthenLock(retention, set, scope, days);
      return answer(context, set);
    }
    case 'release':
      await audited('retention.released').release(accountId);
      return answer(context, set);
  }
}

/** What a new policy keeps, and what the present one does. */
async function changedPolicy({ metadata, clock }: ServiceContext, set: SetReference, policy: RetentionPolicy | null) {
  const { settings } = await metadata.retention.facts(set, clock.now());
  return { ...describedPolicy(policy), ...previousDetails(describedPolicy(settings.policy ?? null)) };
}

/** `retention` may be an audited store. */
interface RetentionParts extends Pick<ServiceContext, 'clock'> {
  readonly retention: RetentionStore;
}

/** Removes the restore points that the set's policy drops and nothing protects; returns their session numbers. */
export async function applyPolicy({ retention, clock }: RetentionParts, set: SetReference): Promise<readonly number[]> {
  const now = clock.now();
  const removed = await retention.remove(set, now, (facts) =>
    decidePoints(facts, facts.settings.policy, now)
      .filter((one) => isDropped(one) && one.verdict.kind === 'removable')
      .map(({ point }) => point.session),
  );
  await retention.applied(set.setNumber, now);
  return removed;
}

/** Restore points to be removed, and the space that this frees. */
interface Leaving {
  readonly points: readonly (LeavingPoint & { readonly session: number })[];
  readonly frees: readonly Freed[];
}

const NOTHING: Leaving = { points: [], frees: [] };

/** @param when `now` for restore points that can be removed now, `sometime` also for those that are protected for a while */
async function leavingPoints(
  { metadata: { retention }, clock }: ServiceContext,
  set: SetReference,
  facts: RetentionFacts,
  { policy, when }: { readonly policy: RetentionPolicy | undefined; readonly when: 'now' | 'sometime' },
): Promise<Leaving> {
  const now = clock.now();
  const points = decidePoints(facts, policy, now)
    .filter((one) => isDropped(one) && (when === 'sometime' || one.verdict.kind === 'removable'))
    .map(({ point: { session, sequence }, lockedUntil }) => ({
      session,
      sequence,
      at: Math.max(now, lockedUntil) + GRACE,
    }));
  return { points, frees: await freedSpace(retention, set, points) };
}

function isNotEmpty(removed: unknown): boolean {
  return Array.isArray(removed) && removed.length > 0;
}

function isDropped({ keptBecause }: DecidedPoint): boolean {
  return keptBecause.length === 0;
}

async function removePoint(
  { retention, clock }: RetentionParts,
  set: SetReference,
  { session, sequence }: StoredPoint,
): Promise<Leaving> {
  const now = clock.now();
  const points = [{ session, sequence, at: now + GRACE }];
  const frees = await freedSpace(retention, set, points);
  let verdict: RemovalVerdict | undefined;
  await retention.remove(set, now, (fresh) => {
    verdict = decidePoints(fresh, undefined, now).find(({ point }) => point.session === session)?.verdict;
    return verdict?.kind === 'removable' ? [session] : [];
  });
  if (!verdict) throw noPoint();
  if (verdict.kind !== 'removable') throw new ServiceProblem('conflict', { detail: refusal(verdict) });
  return { points, frees };
}

function refusal(verdict: Exclude<RemovalVerdict, { kind: 'removable' }>): string {
  switch (verdict.kind) {
    case 'newest':
      return 'the newest restore point of a set stays';
    case 'pinned':
      return 'the restore point is pinned';
    case 'locked':
      return `the restore point is locked until ${formatTimestamp(verdict.until)}`;
    case 'held':
      return 'nothing is removed since something looked like ransomware, until a person releases it';
    case 'in-use':
      return 'a backup or a restore works with the restore point';
  }
}

async function lengthenLock(
  retention: RetentionStore,
  set: SetReference,
  scope: 'set' | 'account',
  days: number,
): Promise<void> {
  const target = scope === 'set' ? { setNumber: set.setNumber } : { accountId: set.accountId };
  const minimum = await retention.lengthen(target, days);
  if (minimum <= days) return;
  throw new ServiceProblem('conflict', { detail: `a minimum retention only gets longer, and it is ${minimum} days` });
}

async function answer(
  context: ServiceContext,
  set: SetReference,
  policy?: RetentionPolicy,
  { points, frees }: Leaving = NOTHING,
): Promise<RetentionAnswer> {
  return { state: await stateOf(context, set, policy), removed: points.length, frees: frees.map(freedJson) };
}

async function stateOf(context: ServiceContext, set: SetReference, policy?: RetentionPolicy): Promise<RetentionState> {
  const { collection } = context.metadata;
  const { facts, points } = await decidedPoints(context, set, policy);
  const { settings } = facts;
  const freeing = await collection.freeing(set.accountId);
  const suspicious = settings.heldAt === undefined ? undefined : await suspiciousRuns(context, set, settings.heldAt);
  return {
    policy: policy ?? settings.policy ?? null,
    policy_since: settings.policySince === undefined ? null : formatTimestamp(settings.policySince),
    minimum_days: Math.max(settings.setMinimumDays, settings.accountMinimumDays),
    account_minimum_days: settings.accountMinimumDays,
    held_since: settings.heldAt === undefined ? null : formatTimestamp(settings.heldAt),
    ...(suspicious ? { held_for: suspicious } : {}),
    points: points.map(pointJson),
    freeing: freeing.map(({ condemnedAt, bytes }) => freedJson({ at: condemnedAt + GRACE, bytes })),
  };
}

async function suspiciousRuns(
  { metadata: { alarms } }: ServiceContext,
  { accountId, setNumber }: SetReference,
  heldAt: number,
): Promise<SuspiciousRun[]> {
  const newest = await alarms.list(accountId, ALARMS_LOOKED_AT);
  return newest
    .filter((alarm) => alarm.setNumber === setNumber && alarm.raisedAt >= heldAt)
    .map(({ raisedAt, reasons }) => ({ detected_at: formatTimestamp(raisedAt), reasons: [...reasons] }));
}

function pointJson({ point, keptBecause, lockedUntil, verdict }: DecidedPoint): RetainedPoint {
  return {
    restore_point: formatTimestamp(point.restorePoint),
    ...completionOf(point.restorePoint, point.completedAt),
    backup_id: point.backupId,
    pinned: point.pinned,
    kept_because: [...keptBecause],
    locked_until: verdict.kind === 'locked' ? formatTimestamp(lockedUntil) : null,
    in_use: point.inUse,
  };
}

function freedJson({ at, bytes }: Freed) {
  return { at: formatTimestamp(at), bytes };
}

async function decidedPoints(
  { metadata: { retention }, clock }: ServiceContext,
  set: SetReference,
  policy?: RetentionPolicy,
): Promise<{ readonly facts: RetentionFacts; readonly points: readonly DecidedPoint[] }> {
  const now = clock.now();
  const facts = await retention.facts(set, now);
  return { facts, points: decidePoints(facts, policy ?? facts.settings.policy, now) };
}

/** Decides about all restore points of a set, newest first. Pure. */
function decidePoints(
  facts: RetentionFacts,
  policy: RetentionPolicy | undefined,
  now: number,
): readonly DecidedPoint[] {
  const { settings, points, runs } = facts;
  const witnessed = witnessTimes(runs);
  const newest = points.reduce((sequence, point) => Math.max(sequence, point.sequence), 0);
  const minimumDays = Math.max(settings.setMinimumDays, settings.accountMinimumDays);
  const rules = { minimumDays, held: settings.heldAt !== undefined, now };
  return decideRetention(points, policy, now).map(({ point, keptBecause }) => {
    const lockedUntil = lockEnd(witnessed.get(point.sequence) ?? point.restorePoint, minimumDays);
    return {
      point,
      keptBecause,
      lockedUntil,
      verdict: judgeRemoval(point, point.sequence === newest, lockedUntil, rules),
    };
  });
}

async function findSet(
  { metadata }: ServiceContext,
  accountId: string,
  { device_id: deviceId, backup_set: name }: RetentionRequest,
): Promise<SetReference> {
  const device = await metadata.devices.find(deviceId);
  const set = device?.accountId === accountId ? await metadata.sessions.findSet(deviceId, name) : undefined;
  if (!set) throw new ServiceProblem('not_found', { detail: 'the account has no such backup set' });
  return { accountId, setNumber: set.number };
}

async function findPoint(
  { metadata: { retention }, clock }: ServiceContext,
  set: SetReference,
  backupId: string,
): Promise<StoredPoint> {
  const { points } = await retention.facts(set, clock.now());
  const point = points.find((one) => one.backupId === backupId);
  if (!point) throw noPoint();
  return point;
}

function noPoint(): ServiceProblem {
  return new ServiceProblem('not_found', { detail: 'the set has no such restore point' });
}
