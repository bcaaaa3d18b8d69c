import type { RetainedPoint, RetentionAnswer, RetentionPolicy, RetentionRequest } from '../../../protocol/retention.ts';
import { HoldfastError, isHoldfastError } from '../../../base/errors/errors.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import type { OperationRun } from '../../context/operation-run.ts';
import { lockHome, withContext } from '../../context/open-context.ts';
import type { OperationContext } from '../../context/operation-context.ts';
import { sourceOf, type SetReference } from '../../context/set-source.ts';
import { isNotFound } from '../../../base/errors/is-not-found.ts';
import type { Home } from '../../home/home.ts';
import { requireSettings } from '../../home/settings.ts';
import { pendingPolicy, savePendingPolicy, type SetAtDestination } from '../../sets/pending-retention.ts';
import { nearestTimes, newestUntil } from '../../../base/point-time.ts';
import type { Timestamp } from '../../../protocol/timestamp.ts';
import { recordSigns } from './ransomware-signs.ts';
import type { RestoreTime } from '../../../model/restore-request.ts';

/** Restore points that are suggested in the place of one that is not there. */
const NEAREST = 3;

/**
 * An action on the restore points of one set. `at` selects the newest one up to that time. What is removed has to be named: the same
 * request again would otherwise remove the one before it.
 */
export type RetentionChoice =
  | PolicyChoice
  | { readonly action: 'apply' | 'release' }
  | { readonly action: 'preview'; readonly policy?: RetentionPolicy }
  | { readonly action: 'pin' | 'unpin'; readonly at: RestoreTime }
  | { readonly action: 'remove'; readonly restorePoint: Timestamp }
  | { readonly action: 'lock'; readonly scope: 'set' | 'account'; readonly minimumDays: number };

/** Shows or sets a policy; `null` keeps everything. */
export type PolicyChoice =
  | { readonly action: 'show' }
  | { readonly action: 'set'; readonly policy: RetentionPolicy | null };

/**
 * Shows or changes which restore points of a set are kept.
 *
 * @throws HoldfastError `set_unknown`, `no_restore_point`, `retention_refused`, `permission_denied` for a device at a
 *   service
 */
export function retention(
  parts: AgentParts,
  reference: SetReference,
  choice: RetentionChoice,
  signal?: AbortSignal,
): Promise<RetentionAnswer> {
  return withContext(parts, {}, async (context) => {
    const { deviceId, backupSet } = await sourceOf(context, reference, signal);
    const set = { device_id: deviceId, backup_set: backupSet };
    const send = async (request: RetentionRequest): Promise<RetentionAnswer> => {
      const { access } = context;
      const answer = await access.retention(request, signal);
      const { state } = answer;
      if (deviceId === context.settings.deviceId) recordSigns(context, backupSet, state);
      // It is a list, too.
      if (request.action === 'show' || request.action === 'preview')
        await access.service.onListed?.({ deviceId, backupSet, points: state.points }, signal);
      return answer;
    };
    if (choice.action === 'lock')
      return send({ ...set, action: 'lock', scope: choice.scope, minimum_days: choice.minimumDays });
    if (!('at' in choice) && !('restorePoint' in choice)) {
      const answer = await send({ ...choice, ...set });
      if (choice.action === 'apply') await collect(parts, context, answer, signal);
      return answer;
    }
    const { state } = await send({ action: 'show', ...set });
    const point =
      'restorePoint' in choice ? named(state.points, choice.restorePoint) : pointAt(state.points, choice.at);
    if (!point) throw new HoldfastError('no_restore_point', { set: backupSet });
    const answer = await send({ action: choice.action, ...set, backup_id: point.backup_id });
    if (choice.action === 'remove') {
      context.catalog.history.forgetRestorePoint(deviceId, backupSet, point.backup_id);
      await collect(parts, context, answer, signal);
    }
    return answer;
  });
}

/**
 * Frees what nobody needs any more, or begins the days for which it waits for other computers. A failure waits for the next backup: what was
 * asked for is done. While a backup of this home is under way, that does it.
 */
async function collect(
  parts: AgentParts,
  { access }: OperationContext,
  { removed }: RetentionAnswer,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (!access.collect) return;
  try {
    using _lock = lockHome(parts, 'free');
    await access.collect(removed > 0 ? 'removal' : 'request', signal);
  } catch (error) {
    if (!isHoldfastError(error) && !signal?.aborted) throw error;
  }
}

/** @throws HoldfastError `no_restore_point` with `problem` */
function named(points: readonly RetainedPoint[], time: Timestamp): RetainedPoint {
  const at = Date.parse(time);
  const point = points.find(({ restore_point: each }) => Date.parse(each) === at);
  if (point) return point;
  const nearest = nearestTimes(points, at, NEAREST);
  throw new HoldfastError('no_restore_point', { time, nearest, problem: 'not-exact' });
}

/** The restore point that has the time, or else the newest of those that were completed until then: what a restore finds, too. */
export function pointAt(newestFirst: readonly RetainedPoint[], at: RestoreTime): RetainedPoint | undefined {
  return at === 'latest' ? newestFirst[0] : newestUntil(newestFirst, at);
}

/** Does the same for a command, which names a set that was never backed up. @throws also HoldfastError `no_restore_point` */
export async function performRetention(
  parts: AgentParts,
  { set, device, ...choice }: SetReference & RetentionChoice,
  { signal }: OperationRun = {},
): Promise<RetentionAnswer> {
  try {
    return await retention(parts, { set, device }, choice, signal);
  } catch (error) {
    // Destinations know a set from its first backup on.
    if (isNotFound(error)) throw new HoldfastError('no_restore_point', { set }, { cause: error });
    throw error;
  }
}

/** The policy that a set gets with its first backup; `null` if it keeps everything. */
export interface AwaitingPolicy {
  readonly awaiting: RetentionPolicy | null;
}

export type ShownPolicy = RetentionAnswer | AwaitingPolicy;

/**
 * Shows or sets the policy of a set. One of this computer that has no backup yet gets it with its first one.
 *
 * @throws HoldfastError as `performRetention`
 */
export async function performPolicy(
  parts: AgentParts,
  { set, device, ...choice }: SetReference & PolicyChoice,
  { signal }: OperationRun = {},
): Promise<ShownPolicy> {
  const { home } = parts;
  const reference = { set, device };
  const at = setAtDestination(parts, reference.set);
  try {
    const answer = await retention(parts, reference, choice, signal);
    if (choice.action === 'set' && reference.device === undefined) savePendingPolicy(home, at, undefined);
    return answer;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (reference.device === undefined && isUnbacked(parts, error)) {
      if (choice.action === 'set') savePendingPolicy(home, at, choice.policy ?? undefined);
      const awaiting = choice.action === 'set' ? choice.policy : pendingPolicy(home, at);
      if (awaiting !== undefined) return { awaiting };
    }
    throw new HoldfastError('no_restore_point', { set: reference.set }, { cause: error });
  }
}

export function setAtDestination({ home, destination }: AgentParts, set: string): SetAtDestination {
  return { destination: requireSettings(home, destination).id, set };
}

/** Returns whether a destination has policies, but no record of the set, since there is no backup of it. */
export function isUnbacked({ home, destination }: AgentParts, { details }: HoldfastError<'service_error'>): boolean {
  return requireSettings(home, destination).destination.kind !== 'service' || details.reason === 'not_found';
}

/** Sends a pending policy once there is a restore point. If the destination refuses, the next backup tries again. */
export async function applyPendingPolicy(
  { access, settings }: OperationContext,
  home: Home,
  set: string,
): Promise<void> {
  const at = { destination: settings.id, set };
  const policy = pendingPolicy(home, at);
  if (!policy) return;
  try {
    await access.retention({ action: 'set', device_id: settings.deviceId, backup_set: set, policy });
    savePendingPolicy(home, at, undefined);
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
  }
}
