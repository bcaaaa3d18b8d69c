import { wrongUsage } from '../../../base/errors.ts';
import { passwordSlotsOf, readEnvelope } from '../../../engine/crypto/key-envelope.ts';
import { passwordSlotOf } from '../../../engine/crypto/password-slot.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import { lockHome } from '../../context/open-context.ts';
import { requireSettings } from '../../home/settings.ts';
import { requireSecrets } from '../../key-store/require-secrets.ts';
import { openRepositories, type AbsentDestination } from './each-repository.ts';
import { reissuedEnvelope, replaceEnvelopes } from './reissue-envelope.ts';

export interface PassphraseReport {
  /** Names of destinations whose stores keep the envelope with the old passphrase. */
  readonly kept: readonly string[];
  /** The old passphrase goes on to open the key there. */
  readonly absent: readonly AbsentDestination[];
  readonly services: readonly string[];
}

/**
 * Sets, changes or removes the passphrase that opens the key of the backups.
 *
 * @param passphrase none to remove it
 * @throws HoldfastError `usage` (`passphrase-empty`, `rotation-of-service`), `key_outdated`, `home_busy`; what the first destination throws if none
 *   can be opened
 */
export async function changePassphrase(
  parts: AgentParts,
  passphrase: string | undefined,
  signal?: AbortSignal,
): Promise<PassphraseReport> {
  using _lock = lockHome(parts, 'key passphrase');
  await using places = await openRepositories(parts, signal);
  const { open, absent, services } = places;
  if (open.length === 0) throw wrongUsage({ problem: 'rotation-of-service' });
  const kept: string[] = [];
  for (const place of open) {
    await place.repository.refreshForWriting(signal);
    const { masterKey } = place.access.secrets;
    const slots = passphrase === undefined ? [] : [await passwordSlotOf(masterKey, passphrase)];
    const isReplaced = await replaceEnvelopes(place, reissuedEnvelope(place, slots), signal);
    if (!isReplaced) kept.push(place.settings.name);
  }
  return { kept, absent, services };
}

/** Returns whether a passphrase opens the key of the backups. @throws HoldfastError as `requireSecrets` */
export async function hasPassphrase({ home, keyStore }: AgentParts): Promise<boolean> {
  const settings = requireSettings(home);
  const { keyEnvelope } = await requireSecrets(keyStore.at(settings.credentials), settings);
  return passwordSlotsOf(readEnvelope(keyEnvelope), 'passphrase').length > 0;
}
