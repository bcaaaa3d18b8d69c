import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { homeAt, prepareHome, type Home } from '../../../../src/agent/home/home.ts';
import { WeeklyReport } from '../../../../src/agent/host/report/weekly-report.ts';
import { HomeKeyStore } from '../../../../src/agent/key-store/home-key-store.ts';
import { KeyStoreSession } from '../../../../src/agent/key-store/stored-session.ts';
import { mailServerOf } from '../../../../src/agent/operations/report/report-file.ts';
import type { ReportSettings } from '../../../../src/ipc/contract/report.ts';
import { MemoryKeychain } from '../../../helpers/keyring/memory-keychain.ts';

const SETTINGS: ReportSettings = {
  isOn: true,
  weekday: 1,
  minute: 9 * 60,
  to: ['anna@example.org'],
  host: 'mail.example.org',
  port: 465,
  security: 'tls',
  user: 'anna',
  withNames: false,
};
const OTHER: ReportSettings = { ...SETTINGS, host: 'post.example.net', user: 'anna.b' };
const TEXT = { subject: 'Backups', text: 'All is well.\n', html: '<p>All is well.</p>' };
const KEYS = { masterKey: new Uint8Array(32).fill(7), keyEnvelope: new Uint8Array([1]) };
const SESSION = { refreshToken: 'refresh', accessToken: 'access', expiresAt: 1 };
const MONDAY = new Date(2026, 10, 23, 9).getTime();

let home: Home;
let keychain: MemoryKeychain;
let keyStore: HomeKeyStore;
/** What the report waits for before it is sent. */
let sending: PromiseWithResolvers<void>;

beforeEach(async () => {
  home = homeAt(mkdtempSync(join(tmpdir(), 'holdfast-report-')));
  prepareHome(home);
  keychain = new MemoryKeychain();
  keyStore = new HomeKeyStore(home, keychain);
  await keyStore.save(KEYS);
  sending = Promise.withResolvers();
});
afterEach(() => rmSync(home.folder, { recursive: true, force: true }));

function newReport(): WeeklyReport {
  return new WeeklyReport({
    home,
    keyStore,
    clock: { now: () => MONDAY },
    timers: { after: () => () => undefined },
    changes: { notify: () => undefined },
    due: () => undefined,
    send: () => sending.promise,
  });
}

describe('settings that are saved while a report is sent', () => {
  test('keep that it was sent, at whatever moment it ends', async () => {
    await keyStore.moveTo('keychain');
    const weekly = newReport();
    await weekly.save(SETTINGS, 'secret');
    const sent = weekly.send(TEXT, true);
    const saved = weekly.save({ ...OTHER, to: ['ben@example.org'] }, 'other secret');
    sending.resolve();
    await Promise.all([sent, saved]);
    const state = await weekly.state();
    expect(state).toMatchObject({ settings: { host: OTHER.host, to: ['ben@example.org'] }, sentAt: MONDAY });
    expect(await keyStore.mailPassword(mailServerOf(OTHER))).toBe('other secret');
  });

  test('give no server the password of another one', async () => {
    const weekly = newReport();
    await weekly.save(SETTINGS, 'secret');
    const seen: (string | undefined)[] = [];
    const save = keyStore.saveMailPassword.bind(keyStore);
    keyStore.saveMailPassword = async (...parameters: Parameters<typeof save>) => {
      await save(...parameters);
      // A report that has read the settings before reads its password now.
      seen.push(await keyStore.mailPassword(mailServerOf(SETTINGS)));
    };
    await weekly.save(OTHER, 'other secret');
    expect(seen).toEqual(['secret']);
    expect(await keyStore.mailPassword(mailServerOf(OTHER))).toBe('other secret');
    expect(await keyStore.mailPassword(mailServerOf(SETTINGS))).toBeUndefined();
  });

  test('and cannot be written lose neither the settings nor the password from before', async () => {
    const weekly = newReport();
    await weekly.save(SETTINGS, 'secret');
    const file = join(home.folder, 'weekly-report.json');
    renameSync(file, `${file}.away`);
    mkdirSync(join(file, 'full'), { recursive: true });
    await expect(weekly.save(OTHER, 'other secret')).rejects.toMatchObject({ code: 'home_unwritable' });
    rmSync(file, { recursive: true });
    renameSync(`${file}.away`, file);
    expect(await weekly.state()).toMatchObject({ settings: SETTINGS, hasPassword: true });
    expect(await keyStore.mailPassword(mailServerOf(SETTINGS))).toBe('secret');
  });

  test('twice at once are those of one of them, with its password', async () => {
    const weekly = newReport();
    await Promise.all([weekly.save(SETTINGS, 'secret'), weekly.save(OTHER, 'other secret')]);
    const { settings } = await weekly.state();
    expect(await keyStore.mailPassword(mailServerOf(settings!))).toBe(
      settings!.host === OTHER.host ? 'other secret' : 'secret',
    );
  });
});

describe('secrets that two write at once', () => {
  test.each(['file', 'keychain'] as const)(
    'are all kept: a session, an envelope and a password, in a %s',
    async (kind) => {
      await keyStore.moveTo(kind);
      const other = new HomeKeyStore(home, keychain);
      const sessions = new KeyStoreSession(other);
      await Promise.all([
        sessions.persist(SESSION),
        keyStore.saveKeys(KEYS, new Uint8Array([2])),
        other.saveMailPassword('smtps://anna@mail.example.org:465', 'secret'),
        keyStore.saveDestination('nas', { keyEnvelope: new Uint8Array([3]) }, []),
      ]);
      expect(await keyStore.load()).toMatchObject({ session: SESSION, keyEnvelope: new Uint8Array([2]) });
      expect(await keyStore.mailPassword('smtps://anna@mail.example.org:465')).toBe('secret');
      expect(await keyStore.at('nas').load()).toMatchObject({ keyEnvelope: new Uint8Array([3]) });
    },
  );

  test('are kept when their protection moves meanwhile', async () => {
    const other = new HomeKeyStore(home, keychain);
    await keyStore.moveTo('keychain');
    const get = keychain.get.bind(keychain);
    let isMoved = false;
    keychain.get = async (account: string) => {
      const key = await get(account);
      if (!isMoved) {
        isMoved = true;
        await keyStore.moveTo('file');
      }
      return key;
    };
    await other.saveMailPassword('smtps://anna@mail.example.org:465', 'secret');
    expect(keyStore.protection).toBe('file');
    expect(await keyStore.mailPassword('smtps://anna@mail.example.org:465')).toBe('secret');
  });
});
