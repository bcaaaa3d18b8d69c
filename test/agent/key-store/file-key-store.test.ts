import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { homeAt, prepareHome, type Home } from '../../../src/agent/home/home.ts';
import { FileKeyStore } from '../../../src/agent/key-store/file-key-store.ts';
import type { Secrets } from '../../../src/agent/key-store/key-store.ts';
import { KeyStoreSession } from '../../../src/agent/key-store/stored-session.ts';

let home: Home;

beforeEach(() => {
  home = homeAt(mkdtempSync(join(tmpdir(), 'holdfast-keys-')));
  prepareHome(home);
});
afterEach(() => rmSync(home.folder, { recursive: true, force: true }));

const masterKey = new Uint8Array(32).fill(7);
const keyEnvelope = new Uint8Array([1, 2, 3]);
const session = { refreshToken: 'r', accessToken: 'a', expiresAt: 1_795_000_000_000 };

const kinds: readonly (readonly [name: string, secrets: Secrets])[] = [
  ['of a device', { masterKey, keyEnvelope, deviceKey: 'key' }],
  ['of a person', { masterKey, keyEnvelope, session }],
  ['of a folder', { masterKey, keyEnvelope }],
];

describe('secrets in a file', () => {
  test.each(kinds)('%s come back, in another process too', async (_name, secrets) => {
    await new FileKeyStore(home).save(secrets);
    expect(await new FileKeyStore(home).load()).toEqual(secrets);
    expect(statSync(home.secretsFile).mode & 0o777).toBe(0o600);
  });

  test('that were never saved are none', async () => {
    expect(await new FileKeyStore(home).load()).toBeUndefined();
  });

  const corrupt: readonly (readonly [name: string, content: string])[] = [
    ['empty', ''],
    ['torn', '{"version":1,"masterKey":"'],
    ['without a key', '{"version":1}'],
    ['a short key', '{"version":1,"masterKey":"AAAA","keyEnvelope":"AAAA"}'],
  ];

  test.each(corrupt)('%s: told without quoting any of it', async (_name, content) => {
    writeFileSync(home.secretsFile, content);
    const error: unknown = await new FileKeyStore(home).load().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'home_damaged', details: { file: home.secretsFile } });
    expect((error as Error).cause).toBeUndefined();
  });

  test('a renewed session is saved beside the keys', async () => {
    const store = new FileKeyStore(home);
    await store.save({ masterKey, keyEnvelope, session });
    const renewed = { refreshToken: 'r2', accessToken: 'a2', expiresAt: session.expiresAt + 1 };
    await new KeyStoreSession(store).persist(renewed);
    expect(await new FileKeyStore(home).load()).toEqual({ masterKey, keyEnvelope, session: renewed });
    expect(await new KeyStoreSession(store).load()).toEqual(renewed);
  });
});
