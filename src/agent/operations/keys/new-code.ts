import { wrongUsage } from '../../../base/errors.ts';
import { encodeEnvelope, readEnvelope } from '../../../engine/crypto/key-envelope.ts';
import { passwordSlotOf } from '../../../engine/crypto/password-slot.ts';
import { newKeyCode } from '../../../engine/crypto/recovery-phrase.ts';
import { findRepository } from '../../../repository/create-repository.ts';
import { putEnvelope } from '../../../repository/membership.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import { lockHome } from '../../context/open-context.ts';
import { deleteEnvelopes, isCodeOnly } from '../../destination/stored-envelopes.ts';
import { locationOf } from '../../home/destination-location.ts';
import { keyRingIn } from '../../key-store/key-store.ts';
import { chosenOf, openRepositories } from './each-repository.ts';

/** A code opens the key for so long. */
export const CODE_LIFETIME_MS = 15 * 60_000;

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
export async function newCode(parts: AgentParts, signal?: AbortSignal): Promise<NewCode> {
  using _lock = lockHome(parts, 'key code');
  await using places = await openRepositories(parts, signal);
  const place = chosenOf(places, parts);
  if (!place) throw wrongUsage({ problem: 'code-of-service' });
  const { repository, settings, access } = place;
  await repository.refreshForWriting(signal);
  const ring = keyRingIn(access.secrets);
  const now = parts.clock.now();
  const found = await findRepository(repository.storage, signal, ring);
  await deleteEnvelopes(repository.storage, (found?.envelopes ?? []).filter(isCodeOnly), signal);
  const code = newKeyCode();
  const expires = now + CODE_LIFETIME_MS;
  const slot = await passwordSlotOf(ring[0].master, code, expires);
  const content = readEnvelope(access.secrets.keyEnvelope);
  await putEnvelope(repository, encodeEnvelope({ ...content, slots: [slot] }, ring), signal);
  return { code, expires, destination: settings.name, location: locationOf(settings.destination) };
}
