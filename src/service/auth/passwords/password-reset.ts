import { createHash, randomBytes, randomInt } from 'node:crypto';
import type { SignInChallenge } from '../../../protocol/accounts.ts';
import type { ServiceContext } from '../../context.ts';
import type { ServiceMail } from '../../mail/service-mail.ts';
import { failureFacts } from '../../failure-facts.ts';
import { ServiceProblem } from '../../request/problem.ts';
import type { User } from '../account-store.ts';
import type { MetadataStore } from '../../metadata-store.ts';
import { auditEntry } from '../../audit/audit.ts';
import { requireUser } from '../require-user.ts';
import { hashPassword } from './password.ts';
import { challengeOf } from '../sign-in.ts';
import type { AccessTokens } from '../tokens/access-tokens.ts';
import { DAY, HOUR, MINUTE } from '../../../model/units.ts';

/** Lifetimes of a token in milliseconds. An operator passes it on by hand. */
const MAIL_LIFETIME = 30 * MINUTE;
const OPERATOR_LIFETIME = DAY;

/** Mails to one address before further requests are ignored for a while. */
const FREE_MAILS = 3;
const PAUSE = HOUR;

/** Requests that wait for their time at most; further ones are dropped, whatever their address. */
const MOST_WAITING = 1_000;
let waiting = 0;

/**
 * Mails a link for choosing a new password, if an account with a password has the address. The answer is the same for every
 * address, in the same time. The work begins a random time after it, so that no request that follows is slower for one address than for
 * another, and is as much for an unknown address: it writes as much, and signs in at the mail server.
 *
 * @throws ServiceProblem `not_found` if the service sends no mail
 */
export function requestReset(context: ServiceContext, email: string): void {
  const { mail, log, accountSettings } = context;
  if (!mail) throw new ServiceProblem('not_found', { detail: 'this service sends no mail: ask whoever runs it' });
  // The audit entry has the address of this request.
  const entry = auditEntry(context, { accountId: '', kind: 'password.reset_requested' });
  if (waiting >= MOST_WAITING) {
    log.warn('a link for a new password was not sent: too many are asked for');
    return;
  }
  waiting += 1;
  setTimeout(
    () => {
      waiting -= 1;
      mailReset(context, mail, email, entry.address).catch((error: unknown) => {
        log.error({ failure: failureFacts(error) }, 'a link for a new password was not sent');
      });
    },
    randomInt(accountSettings.resetDelay + 1),
  ).unref();
}

async function mailReset(
  context: ServiceContext,
  mail: ServiceMail,
  email: string,
  address: string | undefined,
): Promise<void> {
  const { metadata, clock } = context;
  const now = clock.now();
  const subject = `recover:${email.toLowerCase()}`;
  if ((await metadata.tokens.blockedUntil(subject)) > now) return;
  await metadata.tokens.fail(subject, now, (requests) => (requests < FREE_MAILS ? 0 : PAUSE));
  const user = await metadata.accounts.userByEmail(email);
  // Somebody who signs in through a provider has none.
  if (!user || user.passwordHash === '') {
    const nobodys = newToken();
    await metadata.passwordResets.pretend(hashOf(nobodys), now + MAIL_LIFETIME);
    mail.pretend(email, mail.texts.reset(mail.link(resetView(nobodys)), MAIL_LIFETIME / MINUTE));
    return;
  }
  const token = await createReset(metadata, user, { now, lifetime: MAIL_LIFETIME, address, by: user.id });
  // To the stored address: the entered one may differ in case.
  mail.queue('password', user.email, mail.texts.reset(mail.link(resetView(token)), MAIL_LIFETIME / MINUTE));
}

/** Creates a link for the operator to pass on; returns its view of the portal and when it ends, in milliseconds since the epoch. */
export async function createOperatorReset(
  metadata: Pick<MetadataStore, 'passwordResets'>,
  user: User,
  now: number,
): Promise<{ readonly view: string; readonly expiresAt: number }> {
  const options = { now, lifetime: OPERATOR_LIFETIME, address: undefined, by: undefined };
  const token = await createReset(metadata, user, options);
  return { view: resetView(token), expiresAt: now + OPERATOR_LIFETIME };
}

interface ResetOptions {
  readonly now: number;
  readonly lifetime: number;
  readonly address: string | undefined;
  /** `undefined` for the operator. */
  readonly by: string | undefined;
}

async function createReset(
  { passwordResets }: Pick<MetadataStore, 'passwordResets'>,
  { id, accountId }: User,
  { now, lifetime, address, by }: ResetOptions,
): Promise<string> {
  const token = newToken();
  const details = { member: id };
  await passwordResets.create(
    { userId: id, tokenHash: hashOf(token), expiresAt: now + lifetime },
    { accountId, userId: by, kind: 'password.reset_requested', occurredAt: now, address, details },
  );
  return token;
}

/**
 * Sets a new password and ends all sign-ins. The response leads to the second factor, as after a correct password.
 *
 * @throws ServiceProblem `not_found` if the token is not valid, or no longer
 */
export async function completeReset(
  context: ServiceContext,
  tokens: AccessTokens,
  { token, password }: { readonly token: string; readonly password: string },
): Promise<SignInChallenge> {
  const { metadata, clock, callers, accountSettings } = context;
  const invalid = () => new ServiceProblem('not_found', { detail: 'this link was used already, or is too old' });
  const userId = await metadata.passwordResets.userOf(hashOf(token), clock.now());
  if (userId === undefined) throw invalid();
  const { accountId, email } = await requireUser(context, userId);
  const passwordHash = await hashPassword(password, accountSettings.passwordCost);
  const audit = auditEntry(context, { accountId, userId, kind: 'password.reset' });
  const isSet = await metadata.passwordResets.use(hashOf(token), { passwordHash, now: clock.now(), audit });
  if (!isSet) throw invalid();
  callers.forgetAll();
  await metadata.tokens.succeed(`recover:${email.toLowerCase()}`);
  await metadata.tokens.succeed(`password:${email.toLowerCase()}`);
  return challengeOf(context, tokens, { id: userId, passwordHash });
}

function newToken(): string {
  return `hfr_${randomBytes(32).toString('base64url')}`;
}

function resetView(token: string): string {
  return `#/reset?token=${encodeURIComponent(token)}`;
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
