import type { AwaitingPolicy, RetentionChoice } from '../../../agent/operations/retention/retention.ts';
import type { RetainedPoint, RetentionAnswer, RetentionPolicy } from '../../../protocol/retention.ts';
import { timeOfPoint } from '../../../base/point-time.ts';
import { alignColumns } from '../../columns.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import { countText, sizeText, timeText } from '../../text.ts';

export const PERIOD_NOUNS = {
  hourly: 'hours',
  daily: 'days',
  weekly: 'weeks',
  monthly: 'months',
  yearly: 'years',
} as const;
export const PERIODS = Object.keys(PERIOD_NOUNS) as readonly (keyof typeof PERIOD_NOUNS)[];

/**
 * Shows the policy of a set, and the effect of an action on its restore points.
 *
 * @param place the option that names the destination, if there are several
 */
export function retentionOutcome(
  set: string,
  choice: RetentionChoice,
  answer: RetentionAnswer,
  place: string,
): Outcome {
  const { state, removed, frees, can_free_now: canFreeNow, keeps_deleted: keepsDeleted } = answer;
  return outcome(
    {
      ...state,
      removed,
      frees,
      ...(canFreeNow !== undefined && { can_free_now: canFreeNow }),
      ...(keepsDeleted !== undefined && { keeps_deleted: keepsDeleted }),
    },
    linesOf(set, choice, answer, place),
  );
}

/** Shows the policy that a set gets with its first backup. */
export function awaitingOutcome({ awaiting: policy }: AwaitingPolicy): Outcome {
  const from = 'Applied from the first backup on: there is no restore point yet.';
  return outcome({ policy, pending: true }, [staysText(policy), from]);
}

function* linesOf(
  set: string,
  { action }: RetentionChoice,
  { state, removed, frees, can_free_now: canFreeNow, keeps_deleted: keepsDeleted }: RetentionAnswer,
  place: string,
): Generator<string> {
  const { policy, points } = state;
  if (state.held_since !== null) {
    yield `Nothing has been removed since ${timeText(state.held_since)}: a backup showed signs of ransomware.`;
    yield `Look at it, then run: holdfast retention release ${set}`;
    yield '';
  }
  yield staysText(policy);
  if (state.minimum_days > 0) yield `Every restore point stays for ${countText(state.minimum_days, 'day')} at least.`;
  yield '';
  if (action === 'show' || action === 'preview' || action === 'set') {
    yield* alignColumns([['RESTORE POINT', 'LOCAL TIME', 'STAYS'], ...points.map(pointRow)]);
    yield '';
  }
  if (action === 'set' && policy) {
    yield `Applied once a day from tomorrow on. See what it does with: holdfast retention preview ${set}`;
  }
  if (action === 'preview') yield `${countText(removed, 'restore point')} would go.`;
  if (action === 'apply' || action === 'remove') yield `Removed ${countText(removed, 'restore point')}.`;
  for (const { at, bytes } of frees) yield `Frees about ${sizeText(bytes)} after ${timeText(at)}${since(canFreeNow)}.`;
  const isRemoval = action === 'apply' || action === 'remove';
  if (isRemoval && removed > 0 && frees.length === 0) {
    yield 'Frees nothing: other restore points need most of what is stored together with it.';
  }
  if (frees.length === 0) {
    for (const { at, bytes } of state.freeing) {
      yield `About ${sizeText(bytes)} no longer needed will be freed after ${timeText(at)}${since(canFreeNow)}.`;
    }
  }
  if (keepsDeleted === true && frees.length + state.freeing.length > 0) yield KEEPS_DELETED;
  if (isRemoval && canFreeNow === true && frees.length + state.freeing.length > 0) {
    yield `No other computer has ever written there, so you can free it now: holdfast free${place}`;
  }
}

/** What is said of space at a store that keeps what is deleted. */
export const KEEPS_DELETED =
  'The bucket keeps old versions of what is deleted: their space is free only once a rule of the bucket (lifecycle) deletes them.';

/** Why it takes days. @param canFreeNow `undefined` where that is not known, as at a service */
function since(canFreeNow: boolean | undefined): string {
  return canFreeNow === false ? ': until then other computers may count on it' : '';
}

function pointRow(point: RetainedPoint): string[] {
  const { kept_because: because, pinned, locked_until: until, in_use: used } = point;
  const reasons: string[] = because.filter((reason) => reason !== 'pinned').map((reason) => REASONS[reason]);
  if (pinned) reasons.unshift('pinned');
  if (until !== null) reasons.push(`locked until ${timeText(until)}`);
  if (used) reasons.push('in use');
  return [point.restore_point, timeText(timeOfPoint(point)), reasons.length === 0 ? 'no' : reasons.join(', ')];
}

const REASONS = {
  newest: 'newest',
  pinned: 'pinned',
  keep_all: 'all',
  hourly: 'hour',
  daily: 'day',
  weekly: 'week',
  monthly: 'month',
  yearly: 'year',
  loss: 'before or after a loss of files',
} as const;

function staysText(policy: RetentionPolicy | null): string {
  return policy ? `Stays: ${policyText(policy)}.` : 'There is no policy: all restore points stay.';
}

function policyText(policy: RetentionPolicy): string {
  const parts = policy.keep_all_days > 0 ? [`all of the last ${countText(policy.keep_all_days, 'day')}`] : [];
  for (const period of PERIODS) {
    const noun = PERIOD_NOUNS[period];
    if (policy[period] > 0) parts.push(`the first and the last of ${countText(policy[period], noun.slice(0, -1))}`);
  }
  return `${parts.join(', ')} (${policy.time_zone})`;
}
