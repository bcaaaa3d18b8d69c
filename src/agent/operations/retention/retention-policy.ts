import { isDeepStrictEqual } from 'node:util';
import {
  RETENTION_PERIODS,
  retentionPolicy,
  type RetentionAnswer,
  type RetentionPolicy,
} from '../../../protocol/retention.ts';
import { timeOfPoint } from '../../../base/point-time.ts';
import type { OutputOf } from '../../../base/calls/contract.ts';
import type { RetentionForm, setMethods } from '../../../ipc/contract/sets.ts';
import { isHoldfastError } from '../../../base/errors/errors.ts';
import { partsAt, type AgentParts } from '../../context/agent-parts.ts';
import { isNotFound } from '../../../base/errors/is-not-found.ts';
import { requireSettings } from '../../home/settings.ts';
import type { DestinationEntry } from '../../home/destination-entry.ts';
import { pendingPolicy, savePendingPolicy } from '../../sets/pending-retention.ts';
import { isUnbacked, retention, setAtDestination } from './retention.ts';

type Preview = OutputOf<typeof setMethods, 'sets.retention.preview'>;

/** Returns whether a policy can be followed: its time zone has to exist. */
export function isPolicy(policy: RetentionPolicy): boolean {
  return retentionPolicy.safeParse(policy).success;
}

/** Returns the policy of a set, empty if everything is kept. `undefined` if the destination has no policies. */
async function retentionPolicyOf(parts: AgentParts, set: string): Promise<RetentionForm | undefined> {
  try {
    const { state } = await retention(parts, { set }, { action: 'show' });
    return formOf(state.policy ?? undefined);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const pending = pendingPolicy(parts.home, setAtDestination(parts, set));
    return pending || isUnbacked(parts, error) ? formOf(pending) : undefined;
  }
}

/**
 * Returns the policy of a set at the destination of the parts; without one, that at the first destination that responds and has policies, and
 * whether another one has another policy.
 */
export async function shownRetentionPolicy(
  parts: AgentParts,
  { set }: { readonly set: string },
): Promise<CommonPolicy> {
  if (parts.destination !== undefined) return { policy: (await retentionPolicyOf(parts, set)) ?? null };
  const { all } = requireSettings(parts.home);
  const answers = await Promise.allSettled(all.map(({ id }) => retentionPolicyOf(partsAt(parts, id), set)));
  const known = answers.filter((answer) => answer.status === 'fulfilled').map(({ value }) => value);
  if (known.length === 0) throw (answers[0] as PromiseRejectedResult).reason;
  const [policy, ...others] = known.filter((one) => one !== undefined);
  if (!policy) return { policy: null };
  const differs = others.some((other) => !isDeepStrictEqual(other, policy));
  return { policy, ...(differs ? { differs } : {}) };
}

type CommonPolicy = OutputOf<typeof setMethods, 'sets.retention'>;

/** The policy of a set as the window shows it. */
export interface PolicyOfSet {
  readonly set: string;
  readonly policy: RetentionForm;
}

/**
 * Sets the policy of a set at the destination of the parts; without one, at all, of which one that is not at hand gets it with the next backup
 * there.
 *
 * @throws as `saveAt`, after all destinations were tried
 */
export async function saveRetentionPolicy(parts: AgentParts, { set, policy: form }: PolicyOfSet): Promise<void> {
  if (parts.destination !== undefined) return await saveAt(parts, set, form);
  const { all } = requireSettings(parts.home);
  const policy = policyOf(form);
  const save = async ({ id }: DestinationEntry): Promise<void> => {
    try {
      await saveAt(partsAt(parts, id), set, form);
    } catch (error) {
      // The removal of a policy cannot wait.
      if (all.length === 1 || !policy || !isAbsent(error)) throw error;
      savePendingPolicy(parts.home, { destination: id, set }, policy);
    }
  };
  const results = await Promise.allSettled(all.map(save));
  const refused = results.find((result) => result.status === 'rejected');
  if (refused) throw refused.reason;
}

function isAbsent(error: unknown): boolean {
  return isHoldfastError(error, 'destination_missing') || isHoldfastError(error, 'service_unreachable');
}

/**
 * Sets the policy of a set. An empty one keeps everything. A set without a backup gets it with its first one.
 *
 * @throws HoldfastError `permission_denied`, `retention_refused`, `service_*`
 */
async function saveAt(parts: AgentParts, set: string, form: RetentionForm): Promise<void> {
  const { home } = parts;
  const policy = policyOf(form);
  try {
    await retention(parts, { set }, { action: 'set', policy: policy ?? null });
    savePendingPolicy(home, setAtDestination(parts, set), undefined);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    // A service without policies keeps everything anyway.
    if (policy && !isUnbacked(parts, error)) throw error;
    savePendingPolicy(home, setAtDestination(parts, set), policy);
  }
}

/** Lists what a policy would remove. Removes nothing. */
export async function previewRetentionPolicy(parts: AgentParts, { set, policy: form }: PolicyOfSet): Promise<Preview> {
  const policy = policyOf(form);
  const choice = policy ? ({ action: 'preview', policy } as const) : ({ action: 'show' } as const);
  const answer = await unlessNotFound(retention(parts, { set }, choice));
  if (!answer) return { kept: 0, dropped: [] };
  const { points } = answer.state;
  if (!policy) return { kept: points.length, dropped: [] };
  const dropped = points.filter(({ kept_because: reasons }) => reasons.length === 0);
  return {
    kept: points.length - dropped.length,
    dropped: dropped.map((point) => ({ restorePoint: point.restore_point, madeAt: timeOfPoint(point) })),
    ...(dropped.length === 0 ? {} : freed(answer)),
  };
}

function freed({
  frees,
  keeps_deleted: keepsDeleted = false,
}: RetentionAnswer): Pick<Preview, 'freedBytes' | 'freedAt' | 'keepsDeleted'> {
  const freedBytes = frees.reduce((sum, { bytes }) => sum + bytes, 0);
  // The last part completes it.
  const freedAt = frees.at(-1)?.at;
  return { freedBytes, ...(freedAt === undefined ? {} : { freedAt }), ...(keepsDeleted && { keepsDeleted }) };
}

/** Days and periods end in this computer's time zone. `undefined` if the form keeps everything. */
function policyOf(form: RetentionForm): RetentionPolicy | undefined {
  const { keepAllDays = 0, ...periods } = form;
  const counts = RETENTION_PERIODS.map((period) => [period, periods[period] ?? 0] as const);
  if (keepAllDays === 0 && counts.every(([, count]) => count === 0)) return undefined;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return {
    keep_all_days: keepAllDays,
    ...(Object.fromEntries(counts) as Record<(typeof RETENTION_PERIODS)[number], number>),
    time_zone: timeZone,
  };
}

/** @param policy `undefined` if everything is kept */
function formOf(policy: RetentionPolicy | undefined): RetentionForm {
  if (!policy) return {};
  const counts = RETENTION_PERIODS.flatMap((period) => (policy[period] > 0 ? [[period, policy[period]]] : []));
  return {
    ...(policy.keep_all_days > 0 ? { keepAllDays: policy.keep_all_days } : {}),
    ...(Object.fromEntries(counts) as RetentionForm),
  };
}

/** A service has no record of a set without a backup, and other services have no policies. */
async function unlessNotFound(asked: Promise<RetentionAnswer>): Promise<RetentionAnswer | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
