import { z } from 'zod';
import { hashPassword } from './auth/password.ts';
import { newTotpSecret, totpUri } from './auth/factors/totp.ts';
import { openStores } from './open-stores.ts';
import { ServiceProblem } from './request/problem.ts';

/** Characters that a password has at least; NIST SP 800-63B asks for eight and for no other rule. */
const SHORTEST_PASSWORD = 8;

export interface CreatedAccount {
  readonly user_id: string;
  /** Base32. */
  readonly totp_secret: string;
  /** For an authenticator app: `otpauth://totp/…`. */
  readonly totp_uri: string;
}

/**
 * Makes an account with its owner in a store's folder, which becomes a store where it is none yet. May be called beside a
 * running server. The TOTP secret is shown here and never again.
 *
 * @param database `postgres://…`, where the metadata is not in the folder
 * @throws ServiceProblem `unprocessable` (e-mail or password), `conflict` (the e-mail is taken); StoreError
 */
export async function createAccount(
  data: string,
  owner: { readonly email: string; readonly password: string },
  database?: string,
): Promise<CreatedAccount> {
  const email = owner.email.trim();
  if (!z.email().safeParse(email).success)
    throw new ServiceProblem('unprocessable', { detail: 'not an e-mail address' });
  if (owner.password.length < SHORTEST_PASSWORD) {
    throw new ServiceProblem('unprocessable', { detail: `a password has at least ${SHORTEST_PASSWORD} characters` });
  }
  const passwordHash = await hashPassword(owner.password);
  const totpSecret = newTotpSecret();
  const { metadata, close } = await openMetadata(data, database);
  try {
    const user = await metadata.accounts.createOwner({ email, passwordHash, totpSecret, now: Date.now() });
    if (!user) throw new ServiceProblem('conflict', { detail: 'the e-mail address has an account already' });
    return { user_id: user.id, totp_secret: totpSecret, totp_uri: totpUri(totpSecret, email) };
  } finally {
    await close();
  }
}

async function openMetadata(data: string, database: string | undefined) {
  if (database === undefined) {
    const { metadata, objects } = await openStores(data, { create: true });
    return { metadata, close: () => objects.close().then(() => metadata.close()) };
  }
  // The folder beside a database is of the process that serves it.
  const { openPostgresMetadataStore } = await import('./store/postgres-metadata-store.ts');
  const metadata = await openPostgresMetadataStore(database);
  return { metadata, close: () => metadata.close() };
}
