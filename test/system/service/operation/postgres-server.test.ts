import { expect, onTestFinished, test } from 'vitest';
import { createAccount } from '../../../../src/service/accounts.ts';
import { postgresDatabase } from '../../../helpers/postgres/postgres.ts';
import { temporaryDirectory } from '../../../unit/service/harness.ts';
import { startServer } from '../../../../src/service/server.ts';

test('a service with its metadata in PostgreSQL is ready, counts, and finds accounts made beside it', async () => {
  const data = await temporaryDirectory();
  const database = await postgresDatabase();
  const server = await startServer({ data, database });
  onTestFinished(() => server.close());
  const ready = await fetch(`${server.url}/readyz`);
  expect(await ready.json()).toEqual({ status: 'ready', parts: { database: 'ok', objects: 'ok' } });
  const owner = { email: 'anna@example.org', password: 'correct horse battery staple' };
  await createAccount(data, owner, { database });
  await expect(createAccount(data, owner, { database })).rejects.toThrow(/has an account already/);
  expect(await (await fetch(`${server.url}/metrics`)).text()).toContain('holdfast_accounts 1\n');
});
