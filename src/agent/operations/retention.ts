import type { RetentionAnswer, RetentionPolicy, RetentionRequest } from '../../protocol/retention.ts';
import { HoldfastError } from '../../base/errors.ts';
import type { AgentParts, SetReference } from '../agent.ts';
import { withSession } from '../context/open-context.ts';
import { sourceOf } from '../context/set-source.ts';

/** What a person asks about the restore points of one set; `at` is the newest one up to that time. */
export type RetentionChoice =
  | { readonly action: 'show' | 'apply' | 'release' }
  | { readonly action: 'preview'; readonly policy?: RetentionPolicy }
  | { readonly action: 'set'; readonly policy: RetentionPolicy | null }
  | { readonly action: 'pin' | 'unpin' | 'remove'; readonly at: number | 'latest' }
  | { readonly action: 'lock'; readonly scope: 'set' | 'account'; readonly minimumDays: number };

/** @throws HoldfastError `set_unknown`, `no_restore_point`, `retention_refused`, `permission_denied` for a device at a service */
export function requestRetention(
  parts: AgentParts,
  reference: SetReference,
  choice: RetentionChoice,
  signal?: AbortSignal,
): Promise<RetentionAnswer> {
  return withSession(parts, {}, async (session) => {
    const { deviceId, backupSet } = await sourceOf(session, reference, signal);
    const set = { device_id: deviceId, backup_set: backupSet };
    const ask = (request: RetentionRequest) => session.access.retention(request, signal);
    if (!('at' in choice)) return ask(requestOf(choice, set));
    const { state } = await ask({ action: 'show', ...set });
    const time = choice.at === 'latest' ? Number.POSITIVE_INFINITY : choice.at;
    const point = state.points.find(({ restore_point: text }) => Date.parse(text) <= time);
    if (!point) throw new HoldfastError('no_restore_point', { set: backupSet });
    return ask({ action: choice.action, ...set, backup_id: point.backup_id });
  });
}

function requestOf(
  choice: Exclude<RetentionChoice, { readonly at: unknown }>,
  set: { readonly device_id: string; readonly backup_set: string },
): RetentionRequest {
  if (choice.action !== 'lock') return { ...choice, ...set };
  return { action: 'lock', ...set, scope: choice.scope, minimum_days: choice.minimumDays };
}
