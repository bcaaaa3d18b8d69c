import type { AuthenticatorTransport } from '@simplewebauthn/server';
import type {
  Passkey as ShownPasskey,
  PasskeyAssertion,
  PasskeyOptions,
  PasskeyRegistration,
} from '../../../protocol/portal/passkeys.ts';
import type { Person } from '../../caller.ts';
import type { ServiceContext } from '../../context.ts';
import { ServiceProblem } from '../../request/problem.ts';
import type { User } from '../account-store.ts';
import type { Passkey } from './passkey-store.ts';
import { auditEntry } from '../../audit/audit.ts';
import { throttledByAddress } from '../throttle.ts';
import type { RelyingParty } from './relying-party.ts';
import { requireUser } from '../require-user.ts';
import { confirmWithCode } from './second-factors.ts';
import { shownPasskey } from './shown-passkey.ts';
import { MINUTE } from '../../../model/units.ts';

/** Milliseconds in which a passkey signs. */
const SIGNED_WITHIN = 5 * MINUTE;

/** Ed25519, ES256 and RS256: what authenticators have. Others are experimental in Node, which warns about them. */
const ALGORITHMS = [-8, -7, -257];

/** What a signature is for: each challenge is valid for one purpose of one sign-in, or of one token of a sign-in. */
export type PasskeyUse =
  | { readonly kind: 'add' | 'confirm'; readonly familyId: string }
  | { readonly kind: 'sign-in'; readonly tokenId: string };

/**
 * Begins to add a passkey, which takes a code: otherwise a stolen access token would become a second factor of its own.
 *
 * @throws ServiceProblem `not_found`, `code_invalid`
 */
export async function passkeyToAdd(
  context: ServiceContext,
  { userId, familyId }: Person,
  { name, code }: { readonly name: string; readonly code: string },
): Promise<PasskeyOptions> {
  const party = requireParty(context);
  const user = await requireUser(context, userId);
  await confirmWithCode(context, userId, code);
  const { generateRegistrationOptions } = await library();
  const options = await generateRegistrationOptions({
    rpName: 'Holdfast',
    rpID: party.id,
    userName: user.email,
    userID: new TextEncoder().encode(user.id),
    timeout: SIGNED_WITHIN,
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: (await context.metadata.passkeys.list(userId)).map(described),
    authenticatorSelection: { residentKey: 'discouraged', userVerification: 'required' },
  });
  await ask(context, { kind: 'add', familyId }, { userId, challenge: options.challenge, friendlyName: name });
  return { options: { ...options } };
}

/** Adds the passkey that a browser has made. @throws ServiceProblem `not_found`, `passkey_invalid`, `conflict` */
export async function addPasskey(
  context: ServiceContext,
  { userId, familyId }: Person,
  response: PasskeyRegistration,
): Promise<ShownPasskey> {
  const { id: expectedRPID, origin: expectedOrigin } = requireParty(context);
  const { accountId } = await requireUser(context, userId);
  const { challenge, friendlyName = '' } = await takeChallenge(context, { kind: 'add', familyId });
  const { verifyRegistrationResponse } = await library();
  const { registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin,
    expectedRPID,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(invalid);
  if (!registrationInfo) throw new ServiceProblem('passkey_invalid');
  const { id, publicKey, counter } = registrationInfo.credential;
  const passkey: Passkey = {
    id,
    userId,
    friendlyName,
    publicKey: Buffer.from(publicKey),
    counter,
    transports: response.response.transports,
    createdAt: context.clock.now(),
    lastUsedAt: undefined,
  };
  const audit = auditEntry(context, { accountId, userId, kind: 'passkey.added' });
  const outcome = await context.metadata.passkeys.add(passkey, audit);
  if (outcome === 'added') return shownPasskey(passkey);
  const detail = outcome === 'known' ? 'this passkey is added already' : 'a person has no more passkeys than these';
  throw new ServiceProblem('conflict', { detail });
}

/** @throws ServiceProblem `code_invalid`, `not_found` */
export async function removePasskey(
  context: ServiceContext,
  userId: string,
  { id, code }: { readonly id: string; readonly code: string },
): Promise<void> {
  const { accountId } = await requireUser(context, userId);
  await confirmWithCode(context, userId, code);
  const audit = auditEntry(context, { accountId, userId, kind: 'passkey.removed' });
  if (await context.metadata.passkeys.remove(userId, id, audit)) return;
  throw new ServiceProblem('not_found', { detail: 'no such passkey' });
}

/** Asks for a signature of one of a person's passkeys. @throws ServiceProblem `not_found` if there is none */
export async function passkeyToUse(context: ServiceContext, userId: string, use: PasskeyUse): Promise<PasskeyOptions> {
  const party = requireParty(context);
  const passkeys = await context.metadata.passkeys.list(userId);
  if (passkeys.length === 0) throw new ServiceProblem('not_found', { detail: 'this person has no passkey' });
  const { generateAuthenticationOptions } = await library();
  const options = await generateAuthenticationOptions({
    rpID: party.id,
    allowCredentials: passkeys.map(described),
    timeout: SIGNED_WITHIN,
    userVerification: 'required',
  });
  await ask(context, use, { userId, challenge: options.challenge, friendlyName: undefined });
  return { options: { ...options } };
}

/**
 * Verifies that one of the person's passkeys has signed what `passkeyToUse` asked for, here, now, for the first time, after its owner
 * was recognized.
 *
 * @throws ServiceProblem `passkey_invalid`
 */
export async function usePasskey(
  context: ServiceContext,
  { id: userId, accountId }: Pick<User, 'id' | 'accountId'>,
  use: PasskeyUse,
  response: PasskeyAssertion,
): Promise<void> {
  const { metadata, clock } = context;
  const { id: expectedRPID, origin: expectedOrigin } = requireParty(context);
  await throttledByAddress(context, async () => {
    try {
      const { challenge } = await takeChallenge(context, use);
      const passkey = (await metadata.passkeys.list(userId)).find(({ id }) => id === response.id);
      if (!passkey) throw new ServiceProblem('passkey_invalid');
      const { verifyAuthenticationResponse } = await library();
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response,
        expectedChallenge: challenge,
        expectedOrigin,
        expectedRPID,
        requireUserVerification: true,
        credential: { ...described(passkey), publicKey: new Uint8Array(passkey.publicKey), counter: passkey.counter },
      }).catch(invalid);
      // Of two answers at once with the same count, one is a copy.
      const isNew = verified && (await metadata.passkeys.use(passkey.id, authenticationInfo.newCounter, clock.now()));
      if (!isNew) throw new ServiceProblem('passkey_invalid');
    } catch (error) {
      await metadata.audit.record(auditEntry(context, { accountId, userId, kind: 'sign_in.passkey_refused' }));
      throw error;
    }
  });
}

/** Loaded on demand: most requests need none of it. */
function library() {
  return import('@simplewebauthn/server');
}

function requireParty({ relyingParty }: ServiceContext): RelyingParty {
  if (relyingParty) return relyingParty;
  throw new ServiceProblem('not_found', { detail: 'passkeys take a public address with https' });
}

function subjectOf(use: PasskeyUse): string {
  return use.kind === 'sign-in' ? `sign-in:${use.tokenId}` : `${use.kind}:${use.familyId}`;
}

async function ask(
  { metadata, clock }: ServiceContext,
  use: PasskeyUse,
  asked: { readonly userId: string; readonly challenge: string; readonly friendlyName: string | undefined },
): Promise<void> {
  await metadata.passkeys.ask({ ...asked, subject: subjectOf(use), expiresAt: clock.now() + SIGNED_WITHIN });
}

/** Each answer uses the challenge up, whether it is right or wrong. */
async function takeChallenge({ metadata, clock }: ServiceContext, use: PasskeyUse) {
  const asked = await metadata.passkeys.take(subjectOf(use), clock.now());
  if (asked) return asked;
  throw new ServiceProblem('passkey_invalid', { detail: 'nothing was asked, or too long ago' });
}

/** The library throws errors without codes for whatever is wrong with an answer. */
function invalid(cause: unknown): never {
  throw new ServiceProblem('passkey_invalid', { cause });
}

function described({ id, transports }: Passkey): { id: string; transports: AuthenticatorTransport[] } {
  return { id, transports: [...transports] as AuthenticatorTransport[] };
}
