import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seededBytes } from '../../helpers/seeded-bytes.ts';
import { SmallDisk } from '../../helpers/small-disk.ts';
import { CAN_SIGN_IN, codeOf, createAccount, Server } from './server.ts';
import { Workplace } from './workplace.ts';

const canMount = process.getuid?.() === 0;

test.skipIf(!CAN_SIGN_IN || !canMount)(
  'a service without a free byte starts and restores, also to a new computer',
  async () => {
    using place = new Workplace();
    using disk = SmallDisk.mount(place.path('disk'), '24m')!;
    const data = join(disk.folder, 'data');
    const account = await createAccount(place, data, 'anna@example.org');
    const source = place.path('source');
    mkdirSync(source);
    writeFileSync(join(source, 'a.bin'), seededBytes(1, 400_000));
    writeFileSync(join(source, 'b.txt'), 'content of b');
    const signIn = (later = 0) => [
      '--email',
      account.email,
      '--password-file',
      account.passwordFile,
      '--code',
      codeOf(account, later),
    ];
    const restored = (folder: string): readonly Buffer[] =>
      ['a.bin', 'b.txt'].map((name) => readFileSync(join(folder, 'source', name)));
    const expected = [Buffer.from(seededBytes(1, 400_000)), Buffer.from('content of b')];

    let phrase: string;
    {
      await using server = await Server.start(place, data);
      const setup = await place.json<{ recovery_phrase: string }>([
        'setup',
        '--server',
        server.address,
        ...signIn(),
        '--device-name',
        'old',
        '--print-json',
      ]);
      phrase = place.write('phrase', setup.recovery_phrase);
      await place.addSet('documents', source);
      await place.json(['backup', 'documents']);
      disk.fill();
      await place.json(['restore', 'documents', '--to', place.path('running')]);
      expect(restored(place.path('running'))).toEqual(expected);
      const port = new URL(server.address).port;
      await server[Symbol.asyncDispose]();
      await using again = await Server.start(place, data, [], { port });
      await place.json(['restore', 'documents', '--to', place.path('started')]);
      expect(restored(place.path('started'))).toEqual(expected);
      const fresh = ['--recovery-phrase-file', phrase, '--device-name', 'new'];
      const home = place.path('new home');
      const joined = await place.runAt(home, ['setup', '--server', again.address, ...signIn(30_000), ...fresh]);
      expect(joined).toMatchObject({ status: 0 });
      const words = ['restore', 'documents', '--device', 'old', '--to', place.path('fresh')];
      expect(await place.runAt(home, words)).toMatchObject({ status: 0 });
      expect(restored(place.path('fresh'))).toEqual(expected);
      writeFileSync(join(source, 'b.txt'), 'changed');
      const refused = await place.run('backup', 'documents');
      expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('has no space left')]);
      disk.empty();
      await place.json(['backup', 'documents']);
      disk.fill();
    }
    // Another program took what was kept, too.
    rmSync(join(data, 'reserve'));
    disk.fill();
    for (const words of [
      ['start', '--port', '0'],
      ['account', 'create', '--email', 'b@example.org', '--password-file', account.passwordFile],
      ['webhook', 'list', '--email', account.email],
    ]) {
      const failed = await place.run('service', ...words, '--data', data);
      expect([failed.status, failed.stderr]).toEqual([1, expect.stringMatching(/no space left.*Free up some space/s)]);
    }
    disk.empty();
    await using server = await Server.start(place, data);
    expect((await fetch(`${server.address}/functions/v1/capabilities`)).status).toBe(200);
  },
);
