import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { homeAt, prepareHome, type Home } from '../../../../src/agent/home/home.ts';
import { HomeKeyStore } from '../../../../src/agent/key-store/home-key-store.ts';
import type { Secrets } from '../../../../src/agent/key-store/key-store.ts';
import { KeyStoreSession } from '../../../../src/agent/key-store/stored-session.ts';
import { MemoryKeychain } from '../../../helpers/keyring/memory-keychain.ts';

let home: Home;
let keychain: MemoryKeychain;

beforeEach(() => {
  home = homeAt(mkdtempSync(join(tmpdir(), 'holdfast-keys-')));
  prepareHome(home);
  keychain = new MemoryKeychain();
});
afterEach(() => rmSync(home.folder, { recursive: true, force: true }));

const masterKey = new Uint8Array(32).fill(7);
const keyEnvelope = new Uint8Array([1, 2, 3]);
const session = { refreshToken: 'r', accessToken: 'a', expiresAt: 1_795_000_000_000 };
const renewed = { refreshToken: 'r2', accessToken: 'a2', expiresAt: session.expiresAt + 1 };

/** Opens the store as another process would. */
const open = (): HomeKeyStore => new HomeKeyStore(home, keychain);

const kinds: readonly (readonly [name: string, secrets: Secrets])[] = [
  ['of a device', { masterKey, keyEnvelope, deviceKey: 'key' }],
  ['of a person', { masterKey, keyEnvelope, session }],
  ['of a folder', { masterKey, keyEnvelope }],
];

describe('secrets in a file', () => {
  test.each(kinds)('%s are loaded again, in another process too', async (_name, secrets) => {
    await open().save(secrets);
    expect(await open().load()).toEqual(secrets);
    expect(statSync(home.secretsFile).mode & 0o777).toBe(0o600);
    expect(open().protection).toBe('file');
    expect(keychain.reads).toBe(0);
  });

  test('are undefined before the first save', async () => {
    expect(await open().load()).toBeUndefined();
  });

  const corrupt: readonly (readonly [name: string, content: string])[] = [
    ['empty', ''],
    ['torn', '{"version":1,"masterKey":"'],
    ['without a key', '{"version":1}'],
    ['a short key', '{"version":1,"masterKey":"AAAA","keyEnvelope":"AAAA"}'],
    ['of a later version', '{"version":3}'],
  ];

  test.each(corrupt)('%s: reported without quoting the file', async (_name, content) => {
    writeFileSync(home.secretsFile, content);
    const error: unknown = await open()
      .load()
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'home_damaged', details: { file: home.secretsFile } });
    expect((error as Error).cause).toBeUndefined();
  });

  test('a renewed session is saved with the keys', async () => {
    const store = open();
    await store.save({ masterKey, keyEnvelope, session });
    await new KeyStoreSession(store).persist(renewed);
    expect(await open().load()).toEqual({ masterKey, keyEnvelope, session: renewed });
    expect(await new KeyStoreSession(store).load()).toEqual(renewed);
  });
});

describe('secrets sealed by the keychain', () => {
  const secrets: Secrets = { masterKey, keyEnvelope, session };
  beforeEach(() => open().save(secrets));

  test('are loaded again and not readable in the file', async () => {
    await open().moveTo('keychain');
    expect(open().protection).toBe('keychain');
    expect(await open().load()).toEqual(secrets);
    const text = readFileSync(home.secretsFile, 'utf8');
    expect(text).not.toContain(Buffer.from(masterKey).toString('base64'));
    expect(text).not.toContain('refreshToken');
    expect([...keychain.keys.values()].map((key) => key.length)).toEqual([32]);
    expect(statSync(home.secretsFile).mode & 0o777).toBe(0o600);
  });

  test('stay sealed when a session is renewed, with one keychain access', async () => {
    await open().moveTo('keychain');
    keychain.reads = 0;
    const store = open();
    for (const next of [renewed, session, renewed]) await new KeyStoreSession(store).persist(next);
    expect(keychain.reads).toBe(1);
    expect(open().protection).toBe('keychain');
    expect(await open().load()).toEqual({ ...secrets, session: renewed });
  });

  test('need one keychain access for all destinations', async () => {
    await open().moveTo('keychain');
    keychain.reads = 0;
    const store = open();
    await store.at(undefined).load();
    await store.at(undefined).load();
    await store.load();
    expect(keychain.reads).toBe(1);
  });

  test('move back into the file and leave no key in the keychain', async () => {
    await open().moveTo('keychain');
    await open().moveTo('file');
    expect(open().protection).toBe('file');
    expect(await open().load()).toEqual(secrets);
    expect(keychain.keys.size).toBe(0);
  });

  test('stay in the file when the keychain rejects the key', async () => {
    keychain.isLocked = true;
    await expect(open().moveTo('keychain')).rejects.toMatchObject({ code: 'keychain_unavailable' });
    expect(await open().load()).toEqual(secrets);
    expect(open().protection).toBe('file');
  });

  test('stay in the file when the keychain does not store the key', async () => {
    keychain.set = () => Promise.resolve();
    const moving = open().moveTo('keychain');
    await expect(moving).rejects.toMatchObject({ code: 'keychain_unavailable', details: { problem: 'not-kept' } });
    expect(await open().load()).toEqual(secrets);
  });

  test('are not lost or overwritten while the keychain is locked', async () => {
    await open().moveTo('keychain');
    const before = readFileSync(home.secretsFile, 'utf8');
    keychain.isLocked = true;
    await expect(open().load()).rejects.toMatchObject({ code: 'keychain_unavailable' });
    await expect(open().save({ masterKey, keyEnvelope })).rejects.toMatchObject({ code: 'keychain_unavailable' });
    await expect(open().moveTo('file')).rejects.toMatchObject({ code: 'keychain_unavailable' });
    expect(readFileSync(home.secretsFile, 'utf8')).toBe(before);
    keychain.isLocked = false;
    expect(await open().load()).toEqual(secrets);
  });

  test('fail to load when the keychain lacks their key', async () => {
    await open().moveTo('keychain');
    keychain.keys.clear();
    await expect(open().load()).rejects.toMatchObject({
      code: 'keychain_unavailable',
      details: { problem: 'no-key' },
    });
  });

  test('that another process moves meanwhile are saved where it moved them', async () => {
    const [here, there] = [open(), open()];
    const get = keychain.get.bind(keychain);
    await here.moveTo('keychain');
    keychain.get = async (account) => {
      const key = await get(account);
      keychain.get = get;
      await here.moveTo('file');
      return key;
    };
    await there.save({ ...secrets, session: renewed });
    expect(open().protection).toBe('file');
    expect(await open().load()).toEqual({ ...secrets, session: renewed });
  });

  const changes: readonly (readonly [name: string, field: string, value: (before: string) => string])[] = [
    ['another home', 'keyId', () => '0'.repeat(32)],
    ['another nonce', 'nonce', () => Buffer.alloc(12).toString('base64')],
    ['a changed byte', 'sealed', (before) => `${before.startsWith('A') ? 'B' : 'A'}${before.slice(1)}`],
    ['a short tag', 'sealed', (before) => before.slice(0, 20)],
    ['nothing at all', 'sealed', () => ''],
  ];

  test.each(changes)('with %s are damaged', async (_name, field, value) => {
    await open().moveTo('keychain');
    const form = JSON.parse(readFileSync(home.secretsFile, 'utf8')) as Record<string, string>;
    writeFileSync(home.secretsFile, JSON.stringify({ ...form, [field]: value(form[field]!) }));
    await expect(open().load()).rejects.toMatchObject({ code: 'home_damaged' });
  });
});
