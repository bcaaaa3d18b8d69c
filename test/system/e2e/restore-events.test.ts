import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CAN_SIGN_IN, codeOf, createAccount, Server } from './server.ts';
import { Workplace } from './workplace.ts';

const MINUTES = 60_000;

test.skipIf(!CAN_SIGN_IN)(
  'a restore has one start and one end, and listing, verifying and a mistyped path have none',
  { timeout: 3 * MINUTES },
  async () => {
    using place = new Workplace();
    const data = place.path('service');
    const account = await createAccount(place, data, 'anna@example.org');
    const owner = ['--data', data, '--email', account.email];
    const events = ['--event', 'restore.started', '--event', 'restore.completed'];
    await place.json(['service', 'webhook', 'add', ...owner, '--url', 'https://hooks.example.org/', ...events]);
    await using server = await Server.start(place, data);
    const source = place.path('source');
    mkdirSync(source);
    for (const name of ['a', 'b', 'c']) writeFileSync(`${source}/${name}.txt`, `content of ${name}`);
    const credentials = ['--email', account.email, '--password-file', account.passwordFile, '--code', codeOf(account)];
    expect((await place.run('setup', '--server', server.address, ...credentials, '--print-json')).status).toBe(0);
    await place.addSet('documents', source);
    await place.json(['backup', 'documents']);
    await place.json(['ls', 'documents']);
    await place.json(['verify', 'documents']);
    expect((await place.run('restore', 'documents', 'mistyped', '--to', place.path('typo'))).status).not.toBe(0);
    const recorded = async (): Promise<readonly string[]> => {
      const { deliveries } = await place.json<{ deliveries: { event: string }[] }>([
        'service',
        'webhook',
        'deliveries',
        ...owner,
      ]);
      return deliveries.map(({ event }) => event).toSorted();
    };
    expect(await recorded()).toEqual([]);
    await place.json(['restore', 'documents', '--to', place.path('target')]);
    expect(await recorded()).toEqual(['restore.completed', 'restore.started']);
  },
);
