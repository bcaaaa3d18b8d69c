import { isHoldfastError } from '../../../base/errors/errors.ts';
import type { KnownAlarm } from '../../../catalog/history.ts';
import { RANSOMWARE_SIGNS, type RunWarning } from '../../../jobs/run-warning.ts';
import type { RetentionState } from '../../../protocol/retention.ts';
import type { OperationContext } from '../../context/operation-context.ts';

/**
 * Records what a destination says about signs of ransomware, for everything that tells of it from local data.
 *
 * @param set of this computer
 */
export function recordSigns(
  { catalog }: Pick<OperationContext, 'catalog'>,
  set: string,
  { held_since: heldSince, held_for: runs = [] }: Pick<RetentionState, 'held_since' | 'held_for'>,
): KnownAlarm | undefined {
  const first = runs.at(-1);
  const alarm = first && {
    since: Date.parse(first.detected_at),
    reasons: [...new Set(runs.flatMap(({ reasons }) => reasons))],
  };
  const held = heldSince === null ? undefined : Date.parse(heldSince);
  catalog.history.recordHold(held, set, alarm);
  return held === undefined ? undefined : alarm;
}

/**
 * Asks a destination after a run whether it suspects ransomware, and nobody has dismissed that yet. One without policies suspects nothing, and one that
 * does not answer is asked by the next run.
 */
export async function signsAfterRun(
  context: OperationContext,
  set: string,
  signal: AbortSignal | undefined,
): Promise<readonly RunWarning[]> {
  const { access, settings } = context;
  try {
    const of = { device_id: settings.deviceId, backup_set: set };
    const { state } = await access.retention({ action: 'show', ...of }, signal);
    const alarm = recordSigns(context, set, state);
    return alarm ? [{ path: set, reason: RANSOMWARE_SIGNS, detail: alarm.reasons.join(' ') }] : [];
  } catch (error) {
    if (isHoldfastError(error) || signal?.aborted) return [];
    throw error;
  }
}
