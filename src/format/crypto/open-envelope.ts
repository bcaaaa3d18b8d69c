import { HoldfastError } from '../../base/errors/errors.ts';
import { isSealedBy, passwordSlotsOf, type KeyEnvelope } from './key-envelope.ts';
import type { MasterKey } from './keys.ts';
import { LARGEST_SLOT_COST, openPasswordSlot, passwordSlotForm, slotCost, type PasswordSlot } from './password-slot.ts';

/** What all attempts to open slots with one password cost together, in KiB times iterations. */
const MOST_COST = 2 * LARGEST_SLOT_COST;
/** What a cheap attempt counts as, so that their number is bounded, too. */
const LEAST_COST = 16 * 1024;

/**
 * Opens the first of several envelopes that a passphrase, or a one-time code, opens. Nobody has proven them, so the cheapest slots are tried
 * first, and no more than an honest destination needs.
 *
 * @throws HoldfastError `passphrase_wrong`; `phrase_needed` if no slot takes a passphrase; `service_answer_suspicious` if not all slots
 *   could be tried
 */
export async function openOneOf<Stored extends { readonly envelope: KeyEnvelope }>(
  stored: readonly Stored[],
  password: string,
  kind: PasswordSlot['kind'] = 'passphrase',
): Promise<{ readonly opened: Stored; readonly master: MasterKey }> {
  const all = stored.flatMap((one) => passwordSlotsOf(one.envelope, kind).map((slot) => ({ one, slot })));
  if (all.length === 0) throw new HoldfastError('phrase_needed');
  // No slot has an empty passphrase, and Argon2id rejects it.
  if (password === '') throw new HoldfastError('passphrase_wrong');
  const tried = new Map<string, MasterKey | undefined>();
  let left = MOST_COST;
  for (const { one, slot } of all.toSorted((a, b) => slotCost(a.slot) - slotCost(b.slot))) {
    const { envelope } = one;
    // Envelopes of one key repeat its slots.
    const name = JSON.stringify([envelope.keyId, passwordSlotForm(slot)]);
    if (!tried.has(name)) {
      left -= Math.max(LEAST_COST, slotCost(slot));
      if (left < 0) throw new HoldfastError('service_answer_suspicious', { problem: 'key-envelope' });
      tried.set(name, await openPasswordSlot(slot, envelope.keyId, password));
    }
    const master = tried.get(name);
    if (master && isSealedBy(envelope, master)) return { opened: one, master };
  }
  throw new HoldfastError('passphrase_wrong');
}
