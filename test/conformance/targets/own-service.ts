import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount } from '../../../src/service/accounts.ts';
import { startServer } from '../../../src/service/server.ts';
import { Subject } from '../subject.ts';
import { fieldsOf } from '../fields.ts';
import { good } from '../exchange.ts';
import { MovableClock } from './target.ts';
import type { Target } from './target.ts';

const EMAIL = 'anna@example.com';
const PASSWORD = 'correct horse battery staple';

/** Holdfast's own service on SQLite and a folder. */
export async function startOwnService(): Promise<Target> {
  const data = await mkdtemp(join(tmpdir(), 'holdfast-conformance-'));
  const clock = new MovableClock();
  const { totp_secret: totpSecret } = await createAccount(data, { email: EMAIL, password: PASSWORD });
  const server = await startServer({ data, clock });
  const user = { email: EMAIL, password: PASSWORD, totpSecret };
  const options = { url: server.url, user, now: clock.now, elapse: clock.elapse, longestWait: 0 };
  const device = await registerDevice(new Subject(options));
  // The code of the registration is spent.
  await clock.elapse(60);
  return {
    options: { ...options, device },
    close: async () => {
      await server.close();
      await rm(data, { recursive: true, force: true });
    },
  };
}

async function registerDevice(subject: Subject): Promise<{ readonly id: string; readonly key: string }> {
  const body = { name: 'laptop', os: 'linux', agent_version: '1' };
  const answer = await subject.post('/functions/v1/devices', body, await subject.userToken());
  const fields = { device: 'object', device_key: 'text' } as const;
  const { device, device_key: key } = fieldsOf('registration', good('registration', answer).json, fields);
  return { id: fieldsOf('the device', device, { id: 'text' }).id, key };
}
