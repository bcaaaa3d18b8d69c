import { join } from 'node:path';
import { TOTP } from 'otpauth';
import { createAccount } from '../../../src/service/accounts.ts';
import { good } from './client.ts';
import type { LoadClient, LoadDevice } from './client.ts';

const EMAIL = 'load@example.com';
const PASSWORD = 'correct horse battery staple';

/**
 * Creates an account while the service is running, and signs its owner in. Returns the access token.
 *
 * @param folder the folder of one of its processes
 */
export async function openAccount(client: LoadClient, folder: string, database?: string): Promise<string> {
  const account = await createAccount(join(folder, 'data'), { email: EMAIL, password: PASSWORD }, { database });
  const grant = { email: EMAIL, password: PASSWORD };
  const challenge = good('password', await client.post('/auth/v1/token?grant_type=password', grant));
  const [factor] = challenge['factors'] as readonly { readonly id: string }[];
  const code = new TOTP({ secret: account.totp_secret }).generate();
  const path = `/auth/v1/factors/${factor!.id}/verify`;
  return String(good('code', await client.post(path, { code }, String(challenge['mfa_token'])))['access_token']);
}

export async function registerDevice(client: LoadClient, token: string, name: string): Promise<LoadDevice> {
  const body = { name, os: 'linux', agent_version: '1' };
  const answer = good('registration', await client.post('/functions/v1/devices', body, token));
  return { id: (answer['device'] as { readonly id: string }).id, key: String(answer['device_key']) };
}
