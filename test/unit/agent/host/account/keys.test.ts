import { mkdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keyHandlers } from '../../../../../src/agent/host/account/key-handlers.ts';
import { hasPassphrase } from '../../../../../src/agent/operations/keys/change-passphrase.ts';
import { setupHandlers } from '../../../../../src/agent/host/setup/setup-handlers.ts';
import { loadSettings } from '../../../../../src/agent/home/settings.ts';
import { privateKeyMethods } from '../../../../../src/ipc/contract/account/keys.ts';
import { setupMethods } from '../../../../../src/ipc/contract/setup.ts';
import type { Call } from '../../../../../src/base/calls/contract.ts';
import { failureFrom, HandlerFixture } from '../handler-fixture.ts';

interface Computer {
  readonly fixture: HandlerFixture;
  readonly setup: Call<typeof setupMethods>;
  readonly ask: Call<typeof privateKeyMethods>;
}

let laptop: Computer;
let backups: string;
const computers: Computer[] = [];

function newComputer(): Computer {
  const fixture = new HandlerFixture();
  const host = fixture.host();
  const computer = {
    fixture,
    setup: fixture.ask(setupMethods, setupHandlers(host)),
    ask: fixture.ask(privateKeyMethods, keyHandlers(host)),
  };
  computers.push(computer);
  return computer;
}

beforeEach(async () => {
  laptop = newComputer();
  backups = laptop.fixture.path('backups');
  mkdirSync(backups);
  await laptop.setup('setup.finish', { choice: { kind: 'folder', path: backups }, deviceName: 'laptop' });
});
afterEach(() => {
  for (const { fixture } of computers.splice(0)) fixture.close();
});

/** Sets another computer up with what opens the backups. */
async function join(given: { readonly keyCode?: string; readonly passphrase?: string }): Promise<Computer> {
  const computer = newComputer();
  const path = loadSettings(laptop.fixture.home)!.destination;
  if (path.kind !== 'folder') throw new Error('a folder was expected');
  const destination = { kind: 'folder', path: path.directory } as const;
  const joined = await computer.setup('setup.finish', { choice: destination, deviceName: 'desktop', ...given });
  expect(joined.isAdopted).toBe(true);
  return computer;
}

test('a code sets one other computer up', async () => {
  const { code, location, expires } = await laptop.ask('key.code', {});
  expect(location).toContain('backups');
  expect(expires).toBeGreaterThan(Date.now());
  const other = await join({ keyCode: code });
  expect(await other.fixture.agent.recoveryPhrase()).toBe(await laptop.fixture.agent.recoveryPhrase());
  expect(await failureFrom(join({ keyCode: code }))).toMatchObject({ code: 'key_code_wrong' });
});

test('a passphrase sets others up until it is removed', async () => {
  expect(await hasPassphrase(laptop.fixture.parts)).toBe(false);
  expect(await laptop.ask('key.passphrase', { passphrase: 'six words' })).toEqual({ kept: [], unchanged: [] });
  expect(await hasPassphrase(laptop.fixture.parts)).toBe(true);
  await join({ passphrase: 'six words' });
  await laptop.ask('key.passphrase', {});
  expect(await hasPassphrase(laptop.fixture.parts)).toBe(false);
  expect(await failureFrom(join({ passphrase: 'six words' }))).toMatchObject({ code: 'phrase_needed' });
});

test('after a change of the key, the new phrase counts as not written down', async () => {
  const { words, ask } = await laptop.setup('setup.phrase', {});
  await laptop.setup('setup.confirm-phrase', { words: ask.map((index) => words[index]!) });
  await laptop.ask('key.passphrase', { passphrase: 'six words' });
  const before = await laptop.fixture.agent.recoveryPhrase();
  expect(await laptop.ask('key.change', {})).toEqual({ later: [], needPhrase: [], services: [], lostPassphrase: true });
  expect(await laptop.fixture.agent.recoveryPhrase()).not.toBe(before);
  expect((await laptop.setup('setup.phrase', {})).words.join(' ')).toBe(await laptop.fixture.agent.recoveryPhrase());
});

test('no unknown computer is removed', async () => {
  const { words, ask } = await laptop.setup('setup.phrase', {});
  await laptop.setup('setup.confirm-phrase', { words: ask.map((index) => words[index]!) });
  expect(await failureFrom(laptop.ask('key.change', { revoke: 'dev_1' }))).toMatchObject({ code: 'usage' });
  expect(loadSettings(laptop.fixture.home)!.phraseConfirmed).not.toBe(false);
});
