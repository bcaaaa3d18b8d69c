import { z } from 'zod';
import type { Argon2idCost } from '../base/crypto/argon2id.ts';
import { DEFAULT_ACCOUNT_SETTINGS } from './auth/account-settings.ts';
import { hashPassword } from './auth/passwords/password.ts';
import { newRecoveryCodes, recoveryCodeHash } from './auth/factors/recovery-codes.ts';
import { newTotpSecret, totpUri } from './auth/factors/totp.ts';
import { openStores } from './open-stores.ts';
import { ServiceProblem } from './request/problem.ts';

/** Minimum length of a password; NIST SP 800-63B demands eight characters and no other rule. */
const SHORTEST_PASSWORD = 8;

export interface CreatedAccount {
  readonly user_id: string;
  /** Base32. */
  readonly totp_secret: string;
  /** The URL for an authenticator app: `otpauth://totp/…`. */
  readonly totp_uri: string;
  /** Each replaces a code of the authenticator app, once. The store has their hashes. */
  readonly recovery_codes: readonly string[];
}

export interface CreateAccountOptions {
  /** `postgres://…` if the metadata is not in the folder. */
  readonly database?: string | undefined;
  readonly passwordCost?: Argon2idCost;
}

/**
 * Creates an account with its owner in a store's folder, which is initialised if necessary. May be called beside a
 * running server. The TOTP secret and the recovery codes are returned only here.
 *
 * @throws ServiceProblem `unprocessable` (e-mail or password), `conflict` (the e-mail address is taken); StoreError
 */
export async function createAccount(
  data: string,
  owner: { readonly email: string; readonly password: string },
  { database, passwordCost = DEFAULT_ACCOUNT_SETTINGS.passwordCost }: CreateAccountOptions = {},
): Promise<CreatedAccount> {
  const email = owner.email.trim();
  if (!z.email().safeParse(email).success)
    throw new ServiceProblem('unprocessable', { detail: 'not an e-mail address' });
  if (owner.password.length < SHORTEST_PASSWORD) {
    throw new ServiceProblem('unprocessable', { detail: `a password has at least ${SHORTEST_PASSWORD} characters` });
  }
  const passwordHash = await hashPassword(owner.password, passwordCost);
  const totpSecret = newTotpSecret();
  const codes = newRecoveryCodes();
  const recoveryCodes = codes.map((code) => recoveryCodeHash(code)!);
  const { metadata, close } = await openMetadata(data, database);
  try {
    const user = await metadata.accounts.createOwner({
      email,
      passwordHash,
      totpSecret,
      recoveryCodes,
      now: Date.now(),
    });
    if (!user) throw new ServiceProblem('conflict', { detail: 'the e-mail address has an account already' });
    return { user_id: user.id, totp_secret: totpSecret, totp_uri: totpUri(totpSecret, email), recovery_codes: codes };
  } finally {
    await close();
  }
}

async function openMetadata(data: string, database: string | undefined) {
  if (database === undefined) {
    const { metadata, objects } = await openStores(data, { create: true });
    return { metadata, close: () => objects.close().then(() => metadata.close()) };
  }
  // The folder beside a database belongs to the serving process.
  const { openPostgresMetadataStore } = await import('./postgres-metadata-store.ts');
  const metadata = await openPostgresMetadataStore(database);
  return { metadata, close: () => metadata.close() };
}
