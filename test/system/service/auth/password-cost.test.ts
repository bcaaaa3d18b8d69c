import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createAccount } from '../../../../src/service/accounts.ts';
import { openStores } from '../../../../src/service/open-stores.ts';
import { createService } from '../../../../src/service/service.ts';
import { temporaryDirectory } from '../../../unit/service/harness.ts';

// Other tests hash passwords at a lower cost, so these check what users get: 32 MiB, three passes, one lane.

test('an account of the operator has a password hash of the full cost', async () => {
  const data = await temporaryDirectory();
  const owner = { email: 'anna@example.com', password: 'correct horse battery staple' };
  await createAccount(data, owner);
  const { metadata, objects } = await openStores(data, { create: false });
  try {
    const user = await metadata.accounts.userByEmail(owner.email);
    expect(user!.passwordHash).toMatch(/^\$argon2id\$v=19\$m=32768,t=3,p=1\$/);
  } finally {
    await Promise.all([metadata.close(), objects.close()]);
  }
});

test('a service hashes new passwords at the full cost', async () => {
  const stores = await openStores(await temporaryDirectory(), { create: true });
  try {
    const service = await createService({ ...stores, clock: { now: () => 0 }, log: pino({ level: 'silent' }) });
    expect(service.context.accountSettings.passwordCost).toEqual({ memoryKib: 32_768, iterations: 3, parallelism: 1 });
  } finally {
    await Promise.all([stores.metadata.close(), stores.objects.close()]);
  }
});
