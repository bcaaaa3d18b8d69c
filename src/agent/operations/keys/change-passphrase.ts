import { passwordSlotsOf, readEnvelope } from '../../../format/crypto/key-envelope.ts';
import { passwordSlotOf } from '../../../format/crypto/password-slot.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import type { OperationRun } from '../../context/operation-run.ts';
import { lockHome } from '../../context/open-context.ts';
import { requireSettings } from '../../home/settings.ts';
import { accountSecretsIn } from '../../key-store/key-store.ts';
import { requireSecrets } from '../../key-store/require-secrets.ts';
import { openPlaces, type AbsentDestination } from './open-places.ts';
import { reissuedEnvelope, replaceEnvelopes } from './reissue-envelope.ts';

export interface PassphraseReport {
  /** Names of destinations that keep the envelope with the old passphrase. */
  readonly kept: readonly string[];
  /** The old passphrase goes on to open the key there. */
  readonly absent: readonly AbsentDestination[];
  /** Names of services. Their next restore points carry the change, and older ones keep what they have. */
  readonly services: readonly string[];
}

/**
 * Sets, changes or removes the passphrase that opens the key of the backups.
 *
 * @param passphrase none to remove it
 * @throws HoldfastError `usage` (`passphrase-empty`), `key_outdated`, `home_busy`; what the first destination throws if none
 *   can be opened
 */
export async function changePassphrase(
  parts: AgentParts,
  { passphrase }: { readonly passphrase?: string | undefined },
  { signal }: OperationRun = {},
): Promise<PassphraseReport> {
  using _lock = lockHome(parts, 'key passphrase');
  await using places = await openPlaces(parts, signal);
  const { open, absent } = places;
  const kept: string[] = [];
  const services: string[] = [];
  for (const place of open) {
    const { settings, access, keyStore } = place;
    const { masterKey } = access.secrets;
    const slots =
      passphrase === undefined ? [] : [await passwordSlotOf(masterKey, passphrase, { cost: parts.passwordCost })];
    if (place.repository) {
      await place.repository.refreshForWriting(signal);
      const isReplaced = await replaceEnvelopes(place, reissuedEnvelope(place, slots), signal);
      if (!isReplaced) kept.push(settings.name);
    } else {
      await keyStore.saveKeys(accountSecretsIn(access.secrets), reissuedEnvelope(place, slots));
      services.push(settings.name);
    }
  }
  return { kept, absent, services };
}

/** Returns whether a passphrase opens the key of the backups. @throws HoldfastError as `requireSecrets` */
export async function hasPassphrase({ home, keyStore }: AgentParts): Promise<boolean> {
  const settings = requireSettings(home);
  const { keyEnvelope } = await requireSecrets(keyStore.at(settings.credentials), settings);
  return passwordSlotsOf(readEnvelope(keyEnvelope), 'passphrase').length > 0;
}
