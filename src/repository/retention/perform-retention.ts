import { HoldfastError } from '../../base/errors/errors.ts';
import type {
  RetainedPoint,
  RetentionAnswer,
  RetentionPolicy,
  RetentionRequest,
  RetentionState,
} from '../../protocol/retention.ts';
import { completionOf } from '../../base/point-time.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { RemovalVerdict } from '../../rules/removal-decision.ts';
import type { Collector } from '../collect/collector.ts';
import { isSoleWriter } from '../collect/sole-writer.ts';
import { CONDEMNED_FOR_MS } from '../collect/waiting-packs.ts';
import type { Fact } from '../../format/repository/facts.ts';
import type { Point, SetName } from '../projection/points.ts';
import type { Repository } from '../repository.ts';
import { isUnreadable } from '../restore/is-unreadable.ts';
import { judgingTime } from './judging-time.ts';
import { decidePoints, removalOf, removablePoints, type DecidedPoint } from './decide-points.ts';
import { isWhole, mayRemove } from '../collect/removal-guard.ts';

/**
 * Performs one retention request for a set. Removed restore points are gone when this resolves; a collection frees their space. A store that is full
 * gives up its reserve for each decision: a policy, a pin that is taken off and an alarm that is released come before a removal.
 *
 * @throws HoldfastError `service_error` 404 if the set or the point is unknown; `retention_refused`; `key_outdated`; what the storage throws
 */
export async function performRetention(
  repository: Repository,
  collector: Collector,
  request: RetentionRequest,
  signal?: AbortSignal,
): Promise<RetentionAnswer> {
  const [listing, keepsDeleted = false] = await Promise.all([
    repository.refresh(signal),
    repository.storage.kept?.areKept(signal),
  ]);
  const now = judgingTime(repository, listing);
  const answer = await new RetentionCall(repository, collector, { request, now }, signal).perform();
  return { ...answer, can_free_now: isSoleWriter(repository, listing), keeps_deleted: keepsDeleted };
}

interface Leaving {
  readonly points: readonly Point[];
  /** When their chunks are deleted at the earliest, in milliseconds since the epoch. */
  readonly at: number;
}

class RetentionCall {
  readonly #repository: Repository;
  readonly #collector: Collector;
  readonly #request: RetentionRequest;
  readonly #signal: AbortSignal | undefined;
  readonly #set: SetName;
  /** The time by which restore points are judged. */
  readonly #now: number;

  constructor(
    repository: Repository,
    collector: Collector,
    { request, now }: { readonly request: RetentionRequest; readonly now: number },
    signal: AbortSignal | undefined,
  ) {
    this.#repository = repository;
    this.#collector = collector;
    this.#request = request;
    this.#signal = signal;
    this.#now = now;
    this.#set = { device: request.device_id, set: request.backup_set };
    const { points } = repository.projection;
    if (points.latestTime(this.#set) === undefined && points.policy(this.#set) === undefined) {
      throw notFound('the repository has no such backup set');
    }
  }

  async perform(): Promise<RetentionAnswer> {
    const request = this.#request;
    const { clock, projection } = this.#repository;
    const { points } = projection;
    const now = this.#now;
    switch (request.action) {
      case 'show':
        return this.#answer();
      case 'preview': {
        const policy = request.policy ?? points.policy(this.#set);
        const dropped = decidePoints(points, this.#set, policy, now).filter(
          ({ keptBecause }) => keptBecause.length === 0,
        );
        const at = dropped.reduce((latest, { lockedUntil }) => Math.max(latest, lockedUntil), now);
        return await this.#answer(policy, { points: dropped.map(({ point }) => point), at });
      }
      case 'set':
        await this.#append(() => {
          const time = points.policyTime(this.#set, clock.now());
          return { kind: 'policy', ...this.#set, policy: request.policy, time };
        });
        return this.#answer();
      case 'apply': {
        return await this.#remove(() => removablePoints(points, this.#set, points.policy(this.#set), now));
      }
      case 'remove': {
        const point = this.#find(request.backup_id);
        return await this.#remove(() => {
          const decided = decidePoints(points, this.#set, undefined, now).find((one) => one.point.id.equals(point.id));
          // Somebody else has removed it.
          if (!decided) return [];
          if (decided.verdict.kind !== 'removable') throw refused(decided.verdict);
          return [point];
        });
      }
      case 'pin':
      case 'unpin': {
        const { action: kind } = request;
        const point = this.#find(request.backup_id).id;
        await this.#append(() => ({ kind, point, time: points.pinTime(point, clock.now()) }));
        return this.#answer();
      }
      case 'lock': {
        const { scope, minimum_days: days } = request;
        const minimum = points.minimumDays(this.#set);
        const current = scope === 'set' ? minimum.set : minimum.all;
        if (current > days) throw refusedFor(`a minimum retention only gets longer, and it is ${current} days`);
        const of = scope === 'set' ? this.#set : { device: null, set: null };
        await this.#append(() => ({ kind: 'minimum', ...of, days }));
        return this.#answer();
      }
      case 'release':
        await this.#append(() => ({ kind: 'release', alarms: points.alarms().map(({ id }) => id), time: now }));
        return this.#answer();
    }
  }

  async #append(decide: () => Fact): Promise<void> {
    await this.#repository.appendWithReserve(() => [decide()], this.#signal);
  }

  /** @param removable decides again after the ledgers were read: somebody may have pinned a point meanwhile */
  async #remove(removable: () => readonly Point[]): Promise<RetentionAnswer> {
    const { clock, projection } = this.#repository;
    // To a computer that was removed, what others have written since looks damaged.
    this.#repository.requireCurrentKey();
    if (!(await mayRemove(this.#repository, this.#signal))) throw damaged();
    let removed = removable();
    if (removed.length === 0) return this.#answer();
    const frees = await this.#freed({ points: removed, at: clock.now() });
    await this.#repository.appendWithReserve(() => {
      if (!isWhole(this.#repository)) throw damaged();
      removed = removable();
      return removed.length === 0 ? undefined : [removalOf(removed)];
    }, this.#signal);
    return { state: this.#state(projection.points.policy(this.#set)), removed: removed.length, frees };
  }

  #find(id: string): Point {
    const point = this.#repository.projection.points.find(Buffer.from(id, 'hex'));
    if (point?.device !== this.#set.device || point.set !== this.#set.set) {
      throw notFound('the set has no such restore point');
    }
    return point;
  }

  async #answer(policy?: RetentionPolicy, leaving?: Leaving): Promise<RetentionAnswer> {
    const shown = policy ?? this.#repository.projection.points.policy(this.#set);
    const frees = leaving && leaving.points.length > 0 ? await this.#freed(leaving) : [];
    return { state: this.#state(shown), removed: leaving?.points.length ?? 0, frees };
  }

  async #freed({ points, at }: Leaving): Promise<{ at: string; bytes: number }[]> {
    const bytes = await this.#bytesFreedWithout(points);
    return bytes === 0 ? [] : [{ at: formatTimestamp(at + CONDEMNED_FOR_MS), bytes }];
  }

  /** Returns 0 if the tree of a point cannot be read: a damaged point can be removed, too. */
  async #bytesFreedWithout(points: readonly Point[]): Promise<number> {
    try {
      return await this.#collector.bytesFreedWithout(points, this.#signal);
    } catch (error) {
      if (isUnreadable(error)) return 0;
      throw error;
    }
  }

  #state(policy: RetentionPolicy | undefined): RetentionState {
    const { projection } = this.#repository;
    const { points } = projection;
    const minimum = points.minimumDays(this.#set);
    const alarms = points.alarms();
    const ofSet = alarms.filter(({ device, set }) => device === this.#set.device && set === this.#set.set);
    const held = alarms.at(-1);
    return {
      policy: policy ?? null,
      minimum_days: Math.max(minimum.set, minimum.all),
      account_minimum_days: minimum.all,
      held_since: held ? formatTimestamp(held.time) : null,
      ...(held
        ? {
            held_for: ofSet.map(({ time, reasons }) => ({ detected_at: formatTimestamp(time), reasons: [...reasons] })),
          }
        : {}),
      points: decidePoints(points, this.#set, policy, this.#now).map(pointJson),
      freeing: this.#collector.freeing().map(({ at, bytes }) => ({ at: formatTimestamp(at), bytes })),
    };
  }
}

function pointJson({ point, keptBecause, lockedUntil, verdict }: DecidedPoint): RetainedPoint {
  return {
    restore_point: formatTimestamp(point.time),
    ...completionOf(point.time, point.completed),
    backup_id: point.id.toString('hex'),
    pinned: point.isPinned,
    kept_because: [...keptBecause],
    locked_until: verdict.kind === 'locked' ? formatTimestamp(lockedUntil) : null,
    in_use: false,
  };
}

function refused(verdict: RemovalVerdict): HoldfastError {
  switch (verdict.kind) {
    case 'newest':
      return refusedFor('the newest restore point of a set stays');
    case 'pinned':
      return refusedFor('the restore point is pinned');
    case 'locked':
      return refusedFor(`the restore point is locked until ${formatTimestamp(verdict.until)}`);
    case 'held':
      return refusedFor('nothing is removed since something looked like ransomware, until a person releases it');
    case 'in-use':
    case 'removable':
      return refusedFor('a backup or a restore works with the restore point');
  }
}

function damaged(): HoldfastError {
  return refusedFor('the destination is damaged: nothing is removed before it is repaired');
}

function refusedFor(reason: string): HoldfastError {
  return new HoldfastError('retention_refused', { reason });
}

function notFound(detail: string): HoldfastError {
  return new HoldfastError('service_error', { status: 404, detail });
}
