import { type HoldfastError, isHoldfastError } from '../../base/errors.ts';
import type { InputOf, OutputOf } from '../../base/calls/method.ts';
import type { RetentionForm, setMethods } from '../../ipc/contract/sets.ts';
import { RETENTION_PERIODS, type RetentionAnswer, type RetentionPolicy } from '../../protocol/retention.ts';
import { notePendingPolicy, pendingPolicy } from '../sets/pending-retention.ts';
import type { HostParts } from '../host/handler-context.ts';

type Parts = Pick<HostParts, 'agent' | 'home'>;
type Preview = OutputOf<typeof setMethods, 'sets.retention.preview'>;

/** The policy of a set; nothing where all is kept, or where there are no policies. */
export async function retentionOf({ agent, home }: Parts, set: string): Promise<RetentionForm | undefined> {
  const answer = await unlessUnknown(agent.retention({ set }, { action: 'show' }));
  const policy = answer ? answer.state.policy : pendingPolicy(home, set);
  return policy ? formOf(policy) : undefined;
}

/**
 * An empty policy keeps everything. A set that was never backed up gets it with its first backup.
 *
 * @throws HoldfastError `permission_denied`, `retention_refused`, `service_*`
 */
export async function saveRetention(
  { agent, home }: Parts,
  { set, policy: form }: InputOf<typeof setMethods, 'sets.retention.save'>,
): Promise<void> {
  const policy = policyOf(form);
  try {
    await agent.retention({ set }, { action: 'set', policy: policy ?? null });
    notePendingPolicy(home, set, undefined);
  } catch (error) {
    const isOwn = agent.settings()?.destination.kind !== 'service';
    const isUnbacked = isUnknown(error) && (isOwn || error.details.reason === 'not_found');
    // Nothing has to be told to whoever keeps everything anyway.
    if (!isUnbacked && (policy || !isUnknown(error))) throw error;
    notePendingPolicy(home, set, policy);
  }
}

/** What a policy would let go. Nothing is removed. */
export async function previewRetention(
  { agent }: Parts,
  { set, policy: form }: InputOf<typeof setMethods, 'sets.retention.preview'>,
): Promise<Preview> {
  const policy = policyOf(form);
  const choice = policy ? ({ action: 'preview', policy } as const) : ({ action: 'show' } as const);
  const answer = await unlessUnknown(agent.retention({ set }, choice));
  if (!answer) return { kept: 0, dropped: [] };
  const { points } = answer.state;
  if (!policy) return { kept: points.length, dropped: [] };
  const dropped = points.filter(({ kept_because: reasons }) => reasons.length === 0);
  return {
    kept: points.length - dropped.length,
    dropped: dropped.map(({ restore_point: restorePoint }) => ({ restorePoint })),
    ...(dropped.length === 0 ? {} : freed(answer)),
  };
}

function freed({ frees }: RetentionAnswer): Pick<Preview, 'freedBytes' | 'freedAt'> {
  const freedBytes = frees.reduce((sum, { bytes }) => sum + bytes, 0);
  // All of it is back with the last part.
  const freedAt = frees.at(-1)?.at;
  return { freedBytes, ...(freedAt === undefined ? {} : { freedAt }) };
}

/** Days and periods end where this computer's do. */
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

function formOf(policy: RetentionPolicy): RetentionForm {
  const counts = RETENTION_PERIODS.flatMap((period) => (policy[period] > 0 ? [[period, policy[period]]] : []));
  return {
    ...(policy.keep_all_days > 0 ? { keepAllDays: policy.keep_all_days } : {}),
    ...(Object.fromEntries(counts) as RetentionForm),
  };
}

/** A set that was never backed up is not known there, and other services know nothing of policies. */
async function unlessUnknown(asked: Promise<RetentionAnswer>): Promise<RetentionAnswer | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isUnknown(error)) return undefined;
    throw error;
  }
}

function isUnknown(error: unknown): error is HoldfastError<'service_error'> {
  return isHoldfastError(error, 'service_error') && error.details['status'] === 404;
}
