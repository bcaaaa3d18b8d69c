import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CAN_SIGN_IN, codeOf, createAccount, Server } from './server.ts';
import { Workplace } from './workplace.ts';

test.skipIf(!CAN_SIGN_IN)(
  'a backup stores content again for which the service holds something else',
  { timeout: 600_000 },
  async () => {
    using place = new Workplace();
    const data = place.path('service');
    const account = await createAccount(place, data, 'anna@example.com');
    await using server = await Server.start(place, data);
    const sign = ['--email', account.email, '--password-file', account.passwordFile, '--code', codeOf(account)];
    const run = async (...words: string[]): Promise<number | null> => (await place.run(...words)).status;
    expect(await run('setup', '--server', server.address, ...sign)).toBe(0);
    const content = randomBytes(200_000);
    for (const set of ['one', 'two']) {
      mkdirSync(place.path(set));
      writeFileSync(place.path(set, 'file'), content);
      expect(await run('set', 'add', set, place.path(set))).toBe(0);
    }
    expect(await run('backup', 'one')).toBe(0);
    const objects = join(data, 'objects');
    const digest = createHash('sha256').update(content).digest('hex');
    const blob = readdirSync(objects, { recursive: true, encoding: 'utf8' }).find((name) => name.includes(digest))!;
    writeFileSync(join(objects, blob), randomBytes(statSync(join(objects, blob)).size));
    expect(await run('backup', 'two')).toBe(0);
    expect(await run('verify', 'two')).toBe(0);
    expect(await run('restore', 'two', '--to', place.path('restored'))).toBe(0);
    expect(readFileSync(place.path('restored', 'two', 'file')).equals(content)).toBe(true);
    expect(await run('verify', 'one')).not.toBe(0);
  },
);
