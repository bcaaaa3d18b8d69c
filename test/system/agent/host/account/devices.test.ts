import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { accountHandlers } from '../../../../../src/agent/host/account/account-handlers.ts';
import { AccountPerson } from '../../../../../src/agent/host/account/account-person.ts';
import { deviceHandlers } from '../../../../../src/agent/host/account/device-handlers.ts';
import { CatalogAccess } from '../../../../../src/agent/host/activity/catalog-access.ts';
import { setupHandlers } from '../../../../../src/agent/host/setup/setup-handlers.ts';
import { KeychainAvailability } from '../../../../../src/agent/host/account/keychain-availability.ts';
import { HomeKeyStore } from '../../../../../src/agent/key-store/home-key-store.ts';
import { accountMethods } from '../../../../../src/ipc/contract/account/account.ts';
import { deviceMethods, type ListedDevice } from '../../../../../src/ipc/contract/account/devices.ts';
import type { Call } from '../../../../../src/base/calls/contract.ts';
import { setupMethods } from '../../../../../src/ipc/contract/setup.ts';
import { MemoryKeychain } from '../../../../helpers/keyring/memory-keychain.ts';
import { failureFrom, HandlerFixture } from '../../../../unit/agent/host/handler-fixture.ts';
import { ANNA, HttpService } from '../http-service.ts';

const fixtures: HandlerFixture[] = [];
afterEach(() => {
  for (const fixture of fixtures.splice(0)) fixture.close();
});

interface Computer {
  readonly fixture: HandlerFixture;
  readonly ask: Call<typeof deviceMethods>;
  readonly account: Call<typeof accountMethods>;
  readonly keychain: MemoryKeychain;
}

function newComputer(): Computer {
  const fixture = new HandlerFixture();
  fixtures.push(fixture);
  const keychain = new MemoryKeychain();
  const keyStore = new HomeKeyStore(fixture.home, keychain);
  const state = (): never => {
    throw new Error('no state was expected');
  };
  const catalog = new CatalogAccess(fixture.home, fixture.parts.clock);
  const host = fixture.host();
  const person = new AccountPerson(host.agent.parts, host.browse);
  const handlers = deviceHandlers(host, {
    catalog,
    keyStore,
    keychain: new KeychainAvailability(keychain),
    state,
    person,
  });
  const account = fixture.ask(accountMethods, accountHandlers(host, person));
  return { fixture, keychain, account, ask: fixture.ask(deviceMethods, handlers) };
}

describe('devices of a service', () => {
  let service: HttpService;
  beforeEach(async () => {
    service = await HttpService.open();
  });
  afterEach(() => service.close());

  /** The recovery phrase of the account's key, once the first computer has joined. */
  let phrase: string | undefined;
  beforeEach(() => {
    phrase = undefined;
  });

  async function joined(deviceName: string): Promise<Computer> {
    const computer = newComputer();
    const setup = computer.fixture.ask(setupMethods, setupHandlers(computer.fixture.host()));
    const step = await setup('setup.sign-in', { url: service.url, ...ANNA });
    const factor = step.kind === 'factors' ? step.factors[0]!.id : '';
    await setup('setup.verify-factor', { factor, code: service.code() });
    await setup('setup.finish', { choice: { kind: 'service', url: service.url }, deviceName, phrase });
    phrase ??= (await setup('setup.phrase', {})).words.join(' ');
    return computer;
  }

  const named = (devices: readonly ListedDevice[], name: string): ListedDevice =>
    devices.find((device) => device.name === name)!;

  test('are listed, and can be revoked by a person who signs in', async () => {
    const laptop = await joined('laptop');
    const lost = await joined('lost');
    const { devices, canRevoke } = await laptop.ask('devices.list', {});
    expect(canRevoke).toBe(true);
    expect(named(devices, 'laptop').isThisOne).toBe(true);
    expect(named(devices, 'lost').isThisOne).toBe(false);
    // In the service's time, which was advanced for the codes.
    expect(Date.parse(named(devices, 'lost').lastSeen!)).toBeGreaterThan(Date.now());
    expect(named(devices, 'lost').lastBackup).toBeUndefined();
    const { id } = named(devices, 'lost');

    const revoke = (which = id): Promise<unknown> => laptop.ask('devices.revoke', { id: which });
    const { account } = laptop;
    expect(await failureFrom(revoke())).toMatchObject({
      code: 'permission_denied',
      details: { problem: 'sign-in-needed' },
    });
    const guess = account('account.sign-in', { ...ANNA, password: 'a guess' });
    expect(await failureFrom(guess)).toMatchObject({ code: 'password_wrong' });
    const step = await account('account.sign-in', ANNA);
    const factor = step.kind === 'factors' ? step.factors[0]!.id : '';
    const verify = (code: string): Promise<unknown> => account('account.verify-factor', { factor, code });
    expect(await failureFrom(verify('000000'))).toMatchObject({ code: 'code_wrong' });
    expect(await failureFrom(revoke())).toMatchObject({ code: 'permission_denied' });
    expect(await verify(service.code())).toEqual({ kind: 'signed-in', email: ANNA.email });
    expect(await failureFrom(revoke('dev_nothing'))).toMatchObject({ code: 'usage' });
    expect(named((await laptop.ask('devices.list', {})).devices, 'lost').status).not.toBe('revoked');

    await revoke();
    expect(named((await laptop.ask('devices.list', {})).devices, 'lost').status).toBe('revoked');
    expect(await failureFrom(lost.ask('devices.list', {}))).toMatchObject({ code: 'device_refused' });
    // The sign-in ends with the call.
    expect(readFileSync(laptop.fixture.home.secretsFile, 'utf8')).not.toContain('refreshToken');
  });
});

describe('the keys of a home', () => {
  let computer: Computer;
  beforeEach(async () => {
    computer = newComputer();
    const { fixture } = computer;
    await fixture.agent.setup({
      destination: { kind: 'folder', directory: fixture.path('backups') },
      deviceName: 'laptop',
    });
  });

  test('move from the file into the keychain and back', async () => {
    const { ask, fixture } = computer;
    const before = await ask('security.state', {});
    expect(before).toEqual({
      protection: 'file',
      location: fixture.home.secretsFile,
      isKeychainAvailable: true,
      phrase: 'not-asked',
      hasPassphrase: false,
    });
    await ask('security.move-keys', { to: 'keychain' });
    expect((await ask('security.state', {})).protection).toBe('keychain');
    await ask('security.move-keys', { to: 'file' });
    expect(await ask('security.state', {})).toEqual(before);
  });

  test('stay where they are when the keychain does not respond', async () => {
    const { ask, keychain } = computer;
    keychain.isLocked = true;
    expect((await ask('security.state', {})).isKeychainAvailable).toBe(false);
    expect(await failureFrom(ask('security.move-keys', { to: 'keychain' }))).toMatchObject({
      code: 'keychain_unavailable',
    });
    expect((await ask('security.state', {})).protection).toBe('file');
  });

  test('do not offer to revoke devices when the destination is a folder', async () => {
    const { ask } = computer;
    expect(await ask('devices.list', {})).toMatchObject({ canRevoke: false, devices: [{ isThisOne: true }] });
    expect(await failureFrom(ask('devices.revoke', { id: 'dev_1' }))).toMatchObject({ code: 'usage' });
  });
});
