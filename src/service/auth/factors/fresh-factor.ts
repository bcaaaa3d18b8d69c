import type { Confirmation, ConfirmationRequest } from '../../../protocol/accounts.ts';
import { formatTimestamp } from '../../../protocol/timestamp.ts';
import type { Person } from '../../caller.ts';
import type { ServiceContext } from '../../context.ts';
import { ServiceProblem } from '../../request/problem.ts';
import { usePasskey } from './passkeys.ts';
import { confirmWithCode } from './second-factors.ts';
import { MINUTE } from '../../../model/units.ts';

/** Milliseconds after a code in which a sign-in may do what a stolen token must not. */
const FRESH = 10 * MINUTE;

/**
 * Throws `factor_required` unless the caller's sign-in proved its second factor within ten minutes, by signing in or by
 * `renewFactor`. Neither a renewed token nor another sign-in of the same person counts.
 */
export async function requireFreshFactor(
  { metadata, clock }: Pick<ServiceContext, 'metadata' | 'clock'>,
  { familyId }: Pick<Person, 'familyId'>,
): Promise<void> {
  const provedAt = await metadata.signIns.provedAt(familyId);
  // In the future: the clock was ahead, and how long ago it was is unknown. Clocks of several processes differ by less.
  if (provedAt !== undefined && Math.abs(clock.now() - provedAt) <= FRESH) return;
  throw new ServiceProblem('factor_required', { detail: 'the last code of this sign-in is older than ten minutes' });
}

/** Verifies a code of the caller's second factor, or the signature of a passkey. Throws `code_invalid` or `passkey_invalid`. */
export async function renewFactor(
  context: ServiceContext,
  { accountId, userId, familyId }: Person,
  proof: ConfirmationRequest,
): Promise<Confirmation> {
  if ('code' in proof) await confirmWithCode(context, userId, proof.code);
  else await usePasskey(context, { id: userId, accountId }, { kind: 'confirm', familyId }, proof.credential);
  const now = context.clock.now();
  await context.metadata.signIns.proved(familyId, now);
  return { confirmed_until: formatTimestamp(now + FRESH) };
}
