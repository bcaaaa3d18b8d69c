import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { expect, test } from 'vitest';
import { PYTHON, pythonHas } from '../../helpers/debian-python.ts';
import { buildTree } from '../../helpers/tree/build.ts';
import { file } from '../../helpers/tree/nodes.ts';
import { CAN_SIGN_IN, codeOf, createAccount, Server, type Account } from './server.ts';
import { Workplace, type BackupAnswer } from './workplace.ts';

const MEBIBYTE = 1024 * 1024;

/**
 * Restores without Holdfast: a small separate program, which knows only the interface, the format and the recovery phrase,
 * restores a file of many chunks and a small one.
 */
test.skipIf(!pythonHas('cryptography') || !CAN_SIGN_IN)(
  'an independent program with the phrase opens the blobs and rebuilds files',
  async () => {
    using workplace = new Workplace();
    const data = workplace.path('data');
    const account = await createAccount(workplace, data, 'anna@example.org');
    await using server = await Server.start(workplace, data);
    const source = workplace.path('source');
    await buildTree(source, {
      'large.bin': file({ seed: 7, size: 11 * MEBIBYTE + 17 }),
      'small.txt': file('a few bytes'),
      'gr\u00fc\u00dfe \u{1f9f7}.txt': file('name in Unicode'),
    });

    const credentials = ['--email', account.email, '--password-file', account.passwordFile, '--code', codeOf(account)];
    const setup = ['setup', '--server', server.address, ...credentials, '--device-name', 'laptop', '--print-json'];
    const { recovery_phrase: phrase, device_id: device } = JSON.parse((await workplace.run(...setup)).stdout) as {
      readonly recovery_phrase: string;
      readonly device_id: string;
    };
    await workplace.addSet('documents', source);
    await workplace.json<BackupAnswer>(['backup', 'documents']);

    const token = await signIn(server.address, account);
    const phraseFile = workplace.write('phrase', phrase);
    const words = workplace.write('words', wordlist.join('\n'));
    for (const name of ['large.bin', 'small.txt', 'gr\u00fc\u00dfe \u{1f9f7}.txt']) {
      const output = workplace.path('rebuilt');
      const args = [server.address, token, device, 'documents', join(source, name), phraseFile, words, output];
      const chunks = Number(execFileSync(PYTHON, [join(import.meta.dirname, 'restore_client.py'), ...args]));
      expect(chunks).toBeGreaterThanOrEqual(name === 'large.bin' ? 3 : 1);
      expect(sha256(output)).toBe(sha256(join(source, name)));
    }
  },
  120_000,
);

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** Signs in with password and code as the interface describes. A code is valid once, so it waits for the next one. */
async function signIn(address: string, account: Account): Promise<string> {
  const password = readFileSync(account.passwordFile, 'utf8').trim();
  const login = await post(`${address}/auth/v1/token?grant_type=password`, { email: account.email, password });
  const [factor] = login['factors'] as readonly { readonly id: string }[];
  const verify = `${address}/auth/v1/factors/${factor!.id}/verify`;
  // Services accept the next code a little early, since clocks differ.
  const next = execFileSync('oathtool', ['--totp', '--base32', '--now', 'now + 30 seconds', account.totpSecret]);
  const verified = await post(verify, { code: String(next).trim() }, String(login['mfa_token']));
  return String(verified['access_token']);
}

async function post(url: string, body: object, bearer?: string): Promise<Readonly<Record<string, unknown>>> {
  const headers = {
    'content-type': 'application/json',
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
  };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Readonly<Record<string, unknown>>;
}
