import type { Passkey as ShownPasskey } from '../../../protocol/portal/passkeys.ts';
import { formatTimestamp } from '../../../protocol/timestamp.ts';
import { timeOrNull } from '../../stored-time.ts';
import type { Passkey } from './passkey-store.ts';

/** Returns a passkey as its owner sees it. */
export function shownPasskey({ id, friendlyName, createdAt, lastUsedAt }: Passkey): ShownPasskey {
  return {
    id,
    friendly_name: friendlyName,
    created_at: formatTimestamp(createdAt),
    last_used_at: timeOrNull(lastUsedAt),
  };
}
