import type {
  RetainedPoint,
  RetentionAnswer,
  RetentionPolicy,
  RetentionRequest,
  RetentionState,
  SuspiciousRun,
} from '../../protocol/retention.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { ServiceContext } from '../context.ts';
import { ServiceProblem } from '../request/problem.ts';
import type { RetentionFacts, RetentionStore, SetReference, StoredPoint } from '../store/retention/retention-store.ts';
import type { AuditKind } from '../store/audit/audit.ts';
import { GRACE } from './collect-chunks.ts';
import { freedSpace, type Freed, type LeavingPoint } from './freed-space.ts';
import { decideRetention, type KeptBecause } from './policy-decision.ts';
import { describedPolicy, auditedRetention, pointDetails } from './audited-retention.ts';
import { judgeRemoval, lockEnd, witnessTimes, type RemovalVerdict } from './removal-decision.ts';

/** As many runs may be suspicious one after the other before a set that was the first is not named any more. */
const ALARMS_LOOKED_AT = 200;

/** What is known about one restore point when it is decided whether it goes. */
interface JudgedPoint {
  readonly point: StoredPoint;
  readonly keptBecause: readonly KeptBecause[];
  /** Milliseconds since the epoch; 0 where it is not locked. */
  readonly lockedUntil: number;
  readonly verdict: RemovalVerdict;
}

/**
 * Answers one question about the restore points of a set, or changes what becomes of them. Whoever calls has made sure that
 * the caller may. What is removed is gone when it answers; its space comes back later (housekeeping).
 *
 * @param by the id of the person who asks, for the audit log
 * @throws ServiceProblem `not_found`; `conflict` where the restore point has to stay, or a minimum would get shorter
 */
export async function performRetention(
  context: ServiceContext,
  accountId: string,
  request: RetentionRequest,
  by?: string,
): Promise<RetentionAnswer> {
  const set = await findSet(context, accountId, request);
  const { clock } = context;
  /** The store with a change that is kept in the audit log. */
  const noted = (
    kind: AuditKind,
    details?: Readonly<Record<string, string>>,
    isChange?: (result: unknown) => boolean,
  ) => auditedRetention(context, accountId, request, { kind, userId: by, details }, isChange);
  switch (request.action) {
    case 'show':
      return answer(context, set);
    case 'preview': {
      const { facts } = await judged(context, set);
      const policy = request.policy ?? facts.settings.policy;
      return answer(context, set, policy, await leavingUnder(context, set, facts, policy, 'sometime'));
    }
    case 'set':
      await noted('retention.changed', describedPolicy(request.policy)).setPolicy(
        set.setNumber,
        request.policy ?? undefined,
        clock.now(),
      );
      return answer(context, set);
    case 'apply': {
      const { facts } = await judged(context, set);
      const { points, frees } = await leavingUnder(context, set, facts, facts.settings.policy, 'now');
      const retention = noted('retention.applied', { removed: String(points.length) }, isNotEmpty);
      const removed = new Set(await applyPolicy({ clock, retention }, set));
      return answer(context, set, undefined, { points: points.filter(({ session }) => removed.has(session)), frees });
    }
    case 'pin': {
      const point = await findPoint(context, set, request.backup_id);
      await noted('restore_point.pinned', pointDetails(point)).pin(point.session, clock.now());
      // It may have been removed in between.
      await findPoint(context, set, request.backup_id);
      return answer(context, set);
    }
    case 'unpin': {
      const point = await findPoint(context, set, request.backup_id);
      await noted('restore_point.unpinned', pointDetails(point)).unpin(point.session);
      return answer(context, set);
    }
    case 'remove': {
      const point = await findPoint(context, set, request.backup_id);
      const retention = noted('restore_point.removed', pointDetails(point), isNotEmpty);
      return answer(context, set, undefined, await removePoint({ clock, retention }, set, point));
    }
    case 'lock': {
      const { scope, minimum_days: days } = request;
      const details = { scope, minimum_days: String(days) };
      const retention = noted('retention.locked', details, (minimum) => minimum === days);
      await lengthenLock(retention, set, scope, days);
      return answer(context, set);
    }
    case 'release':
      await noted('retention.released').release(accountId);
      return answer(context, set);
  }
}

/** The store that is changed may be an audited one. */
interface RetentionParts extends Pick<ServiceContext, 'clock'> {
  readonly retention: RetentionStore;
}

/** Removes what the set's policy drops and nothing protects; answers the numbers of their sessions. */
export async function applyPolicy({ retention, clock }: RetentionParts, set: SetReference): Promise<readonly number[]> {
  const now = clock.now();
  const removed = await retention.remove(set, now, (facts) =>
    judgePoints(facts, facts.settings.policy, now)
      .filter((one) => isDropped(one) && one.verdict.kind === 'removable')
      .map(({ point }) => point.session),
  );
  await retention.applied(set.setNumber, now);
  return removed;
}

/** Restore points that go, with what that frees. */
interface Leaving {
  readonly points: readonly (LeavingPoint & { readonly session: number })[];
  readonly frees: readonly Freed[];
}

const NOTHING: Leaving = { points: [], frees: [] };

/** @param when only what may go now, or also what is protected for some time */
async function leavingUnder(
  { metadata: { retention }, clock }: ServiceContext,
  set: SetReference,
  facts: RetentionFacts,
  policy: RetentionPolicy | undefined,
  when: 'now' | 'sometime',
): Promise<Leaving> {
  const now = clock.now();
  const points = judgePoints(facts, policy, now)
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

function isDropped({ keptBecause }: JudgedPoint): boolean {
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
    verdict = judgePoints(fresh, undefined, now).find(({ point }) => point.session === session)?.verdict;
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
  const { facts, points } = await judged(context, set, policy);
  const { settings } = facts;
  const freeing = await collection.freeing(set.accountId);
  const suspicious = settings.heldAt === undefined ? undefined : await suspiciousRuns(context, set, settings.heldAt);
  return {
    policy: policy ?? settings.policy ?? null,
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

function pointJson({ point, keptBecause, lockedUntil, verdict }: JudgedPoint): RetainedPoint {
  return {
    restore_point: formatTimestamp(point.restorePoint),
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

async function judged(
  { metadata: { retention }, clock }: ServiceContext,
  set: SetReference,
  policy?: RetentionPolicy,
): Promise<{ readonly facts: RetentionFacts; readonly points: readonly JudgedPoint[] }> {
  const now = clock.now();
  const facts = await retention.facts(set, now);
  return { facts, points: judgePoints(facts, policy ?? facts.settings.policy, now) };
}

/** Newest first. Pure. */
function judgePoints(facts: RetentionFacts, policy: RetentionPolicy | undefined, now: number): readonly JudgedPoint[] {
  const { settings, points, runs } = facts;
  const witnessed = witnessTimes(runs);
  const newest = points.reduce((sequence, point) => Math.max(sequence, point.sequence), 0);
  const minimumDays = Math.max(settings.setMinimumDays, settings.accountMinimumDays);
  const rules = { minimumDays, held: settings.heldAt !== undefined, now };
  return decideRetention(points, policy).map(({ point, keptBecause }) => {
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
