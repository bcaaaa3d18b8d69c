import { wrongUsage } from '../../../base/errors/errors.ts';
import { encodeEnvelope, readEnvelope } from '../../../format/crypto/key-envelope.ts';
import { passwordSlotOf } from '../../../format/crypto/password-slot.ts';
import { newKeyCode } from '../../../format/crypto/recovery-phrase.ts';
import { putEnvelope } from '../../../repository/membership.ts';
import { partsAt, type AgentParts } from '../../context/agent-parts.ts';
import type { NoInput, OperationRun } from '../../context/operation-run.ts';
import { lockHome, openDestination } from '../../context/open-context.ts';
import { deleteEnvelopes, isCodeOnly } from '../../destination/keys/stored-envelopes.ts';
import { locationOf } from '../../home/destination-location.ts';
import { requireStoredSettings, settingsFor, type Settings } from '../../home/settings.ts';
import type { DestinationEntry } from '../../home/destination-entry.ts';
import { keyRingIn } from '../../key-store/key-store.ts';
import { requireSecrets } from '../../key-store/require-secrets.ts';
import { MINUTE } from '../../../model/units.ts';

/** A code opens the key for so long. */
export const CODE_LIFETIME_MS = 15 * MINUTE;

export interface NewCode {
  /** Six words. */
  readonly code: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
  /** Name of the destination. */
  readonly destination: string;
  readonly location: string;
}

/**
 * Makes a one-time code with which a new computer gets the key of a destination.
 *
 * @throws HoldfastError `usage` (`code-of-service`), `key_outdated`, `home_busy`, and what the destination throws
 */
export async function newCode(
  parts: AgentParts,
  _input: NoInput = {},
  { signal }: OperationRun = {},
): Promise<NewCode> {
  using _lock = lockHome(parts, 'key code');
  const settings = settingsOf(parts);
  const secrets = await requireSecrets(parts.keyStore.at(settings.credentials), settings);
  await using access = await openDestination(partsAt(parts, settings.id), settings, secrets, {});
  const { repository, envelopes = [] } = access;
  if (!repository) throw wrongUsage({ problem: 'code-of-service' });
  await repository.refreshForWriting(signal);
  const ring = keyRingIn(access.secrets);
  const now = parts.clock.now();
  await deleteEnvelopes(repository.storage, envelopes.filter(isCodeOnly), signal);
  const code = newKeyCode();
  const expires = now + CODE_LIFETIME_MS;
  const slot = await passwordSlotOf(ring[0].master, code, { expires, cost: parts.passwordCost });
  const content = readEnvelope(access.secrets.keyEnvelope);
  await putEnvelope(repository, encodeEnvelope({ ...content, slots: [slot] }, ring), signal);
  return { code, expires, destination: settings.name, location: locationOf(settings.destination) };
}

/** The chosen destination, or else the first that is no service. @throws HoldfastError `usage` (`code-of-service`) */
function settingsOf({ home, destination }: AgentParts): Settings {
  const stored = requireStoredSettings(home);
  const isStore = (entry: DestinationEntry): boolean => entry.destination.kind !== 'service';
  const id = destination ?? stored.destinations.find(isStore)?.id;
  const settings = settingsFor(stored, id);
  if (!isStore(settings)) throw wrongUsage({ problem: 'code-of-service' });
  return settings;
}
