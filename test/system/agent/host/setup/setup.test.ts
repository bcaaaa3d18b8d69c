import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { setupHandlers } from '../../../../../src/agent/host/setup/setup-handlers.ts';
import { SIGN_IN_LIFETIME_MS } from '../../../../../src/agent/host/setup/setup-sign-in.ts';
import type { Call } from '../../../../../src/base/calls/contract.ts';
import { setupMethods } from '../../../../../src/ipc/contract/setup.ts';
import { Browser } from '../../../../helpers/identity-provider/browser.ts';
import { CLIENT, startIdentityProvider } from '../../../../helpers/identity-provider/identity-provider.ts';
import { HAS_S3, newBucket } from '../../../../helpers/s3/s3-server.ts';
import { failureFrom, HandlerFixture } from '../../../../unit/agent/host/handler-fixture.ts';
import { ANNA, HttpService } from '../http-service.ts';

let fixture: HandlerFixture;
let ask: Call<typeof setupMethods>;
beforeEach(() => {
  fixture = new HandlerFixture();
  ask = fixture.ask(setupMethods, setupHandlers(fixture.host()));
});
afterEach(() => fixture.close());

const folder = (path: string) => ({ kind: 'folder', path }) as const;

describe('disks', () => {
  test('are listed with their free space, including that of the home folder', async () => {
    const { disks, deviceName } = await ask('setup.disks', {});
    expect(deviceName).not.toBe('');
    const own = disks.filter(({ kind }) => kind === 'system');
    expect(own).toMatchObject([{ isSameDisk: true, holdsBackups: false }]);
    for (const { freeBytes, totalBytes } of disks) expect(freeBytes).toBeLessThanOrEqual(totalBytes);
  });
});

describe('a folder', () => {
  test('that does not exist is tried without being created', async () => {
    const destination = folder(fixture.path('disk', 'backups'));
    const trial = await ask('setup.try', { choice: destination });
    expect(trial).toMatchObject({ location: destination.path, holdsBackups: false });
    expect(trial.freeBytes).toBeGreaterThan(0);
    expect(readdirSync(fixture.folder)).toEqual([]);
  });

  test('inside Holdfast’s own folder is refused', async () => {
    for (const path of [fixture.home.folder, `${fixture.home.folder}/backups`]) {
      const failure = await failureFrom(ask('setup.try', { choice: folder(path) }));
      expect(failure).toMatchObject({ code: 'usage', details: { problem: 'inside-own-folder' } });
    }
  });

  test('with other content gets a folder for the backups', async () => {
    fixture.write('disk/photo.jpg');
    const destination = folder(fixture.path('disk'));
    const location = fixture.path('disk', 'Holdfast');
    expect(await ask('setup.try', { choice: destination })).toMatchObject({ location });
    expect(readdirSync(fixture.path('disk'))).toEqual(['photo.jpg']);
    expect(await ask('setup.finish', { choice: destination, deviceName: 'laptop' })).toEqual({
      isAdopted: false,
      storedSets: [],
    });
    expect(readdirSync(fixture.path('disk'))).toEqual(['Holdfast', 'photo.jpg']);
    expect(fixture.agent.settings()).toMatchObject({ destination: { directory: location }, deviceName: 'laptop' });
    expect(fixture.notified.changed).toBe(1);
    expect(await failureFrom(ask('setup.finish', { choice: destination, deviceName: 'x' }))).toMatchObject({
      code: 'already_set_up',
    });
  });

  test('gets the parity that was chosen, which the settings know', async () => {
    const destination = { ...folder(fixture.path('disk')), parity: 20 };
    await ask('setup.try', { choice: destination });
    await ask('setup.finish', { choice: destination, deviceName: 'laptop' });
    const description = JSON.parse(readFileSync(fixture.path('disk', 'holdfast.json'), 'utf8')) as unknown;
    expect(description).toMatchObject({ parity: 20 });
    expect(fixture.agent.settings()).toMatchObject({ parity: 20 });
  });

  test.each(['disk', 'disk/Holdfast'])(
    'whose backups nothing describes (in %s) gets no others beside them',
    async (at) => {
      fixture.write(`${at}/packs/00/pack`);
      fixture.write(`${at}/ledger/segment`);
      expect(await failureFrom(ask('setup.try', { choice: folder(fixture.path('disk')) }))).toMatchObject({
        code: 'destination_missing',
        details: { problem: 'undescribed', directory: fixture.path(at) },
      });
    },
  );

  test('that is a file, or whose folder for backups is taken, is refused', async () => {
    const file = fixture.write('file');
    fixture.write('disk/Holdfast/something');
    for (const path of [file, fixture.path('disk')]) {
      expect(await failureFrom(ask('setup.try', { choice: folder(path) }))).toMatchObject({
        code: 'usage',
        details: { problem: 'destination-foreign' },
      });
    }
    mkdirSync(fixture.home.folder, { recursive: true });
    const around = folder(fixture.home.folder);
    expect(await failureFrom(ask('setup.try', { choice: around }))).toMatchObject({
      code: 'usage',
      details: { problem: 'inside-own-folder' },
    });
  });

  test.skipIf(process.getuid?.() === 0)('that is not writable is refused', async () => {
    mkdirSync(fixture.path('locked'), { mode: 0o500 });
    const failure = await failureFrom(ask('setup.try', { choice: folder(fixture.path('locked')) }));
    chmodSync(fixture.path('locked'), 0o700);
    expect(failure.code).toBe('destination_unwritable');
  });

  test('on a read-only system is refused', async () => {
    // procfs accepts no files, even from root.
    const failure = await failureFrom(ask('setup.try', { choice: folder('/proc/backups') }));
    expect(failure).toMatchObject({ code: 'destination_unwritable' });
  });

  const canMount = process.platform === 'linux' && process.getuid?.() === 0;
  test.skipIf(!canMount)('on a full or read-only disk is refused', async () => {
    mkdirSync(fixture.path('disk'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', fixture.path('disk')]);
    try {
      fixture.write('disk/large', Buffer.alloc(256 * 1024 - 4096));
      const destination = folder(fixture.path('disk'));
      expect(await failureFrom(ask('setup.try', { choice: destination }))).toMatchObject({ code: 'destination_full' });
      execFileSync('mount', ['-o', 'remount,ro', fixture.path('disk')]);
      expect(await failureFrom(ask('setup.try', { choice: destination }))).toMatchObject({
        code: 'destination_unwritable',
      });
    } finally {
      execFileSync('umount', [fixture.path('disk')]);
    }
  });
});

describe('the phrase', () => {
  test('of a new home is shown until two of its words are entered', async () => {
    expect(await failureFrom(ask('setup.phrase', {}))).toMatchObject({ code: 'not_set_up' });
    await ask('setup.finish', { choice: folder(fixture.path('backups')), deviceName: 'laptop' });
    expect(fixture.agent.settings()).toMatchObject({ phraseConfirmed: false });
    const {
      words,
      ask: [first, second],
    } = await ask('setup.phrase', {});
    expect(words.join(' ')).toBe(await fixture.agent.recoveryPhrase());
    expect(first).not.toBe(second);
    expect(await ask('setup.phrase', {})).toEqual({ words, ask: [first, second] });
    const right = [words[first!]!, words[second!]!];
    const wrong = [right[0]!, right[1] === 'abandon' ? 'ability' : 'abandon'];
    expect(await ask('setup.confirm-phrase', { words: wrong })).toEqual({ isRight: false });
    expect(fixture.agent.settings()).toMatchObject({ phraseConfirmed: false });
    // Another program on the home asks for other words.
    const again = fixture.ask(setupMethods, setupHandlers(fixture.host()));
    const asked = await again('setup.phrase', {});
    const given = asked.ask.map((position) => ` ${asked.words[position]!.toUpperCase()} `);
    expect(await again('setup.confirm-phrase', { words: given })).toEqual({ isRight: true });
    expect(fixture.agent.settings()).toMatchObject({ phraseConfirmed: true });
    expect(await failureFrom(again('setup.phrase', {}))).toMatchObject({ code: 'refused' });
  });

  test('opens existing backups, and then counts as confirmed', async () => {
    const destination = folder(fixture.path('backups'));
    await ask('setup.finish', { choice: destination, deviceName: 'old' });
    const phrase = await fixture.agent.recoveryPhrase();
    await fixture.agent.addSet({
      form: {
        name: 'docs',
        roots: [fixture.write('docs/a').slice(0, -2)],
        excludes: [],
        oneFileSystem: false,
        privateNames: false,
      },
    });
    await fixture.agent.backup({ set: 'docs' }, {});
    const other = new HandlerFixture();
    const call = other.ask(setupMethods, setupHandlers(other.host()));
    try {
      expect(await call('setup.try', { choice: destination })).toMatchObject({ holdsBackups: true });
      const finish = (words?: string) =>
        call('setup.finish', { choice: destination, deviceName: 'new', phrase: words });
      expect(await failureFrom(finish())).toMatchObject({ code: 'phrase_needed' });
      expect(await failureFrom(finish('abandon '.repeat(24).trim()))).toMatchObject({ code: 'phrase_invalid' });
      expect(existsSync(other.home.settingsFile)).toBe(false);
      const { isAdopted, storedSets } = await finish(phrase);
      expect(isAdopted).toBe(true);
      expect(storedSets).toMatchObject([{ set: 'docs', deviceName: 'old' }]);
      expect(other.agent.settings()?.phraseConfirmed).toBeUndefined();
    } finally {
      other.close();
    }
  });
});

describe('a service', () => {
  let service: HttpService;
  beforeEach(async () => {
    service = await HttpService.open();
  });
  afterEach(() => service.close());

  const signIn = () => ask('setup.sign-in', { url: service.url, ...ANNA });
  const totp = async (): Promise<string> => {
    const step = await signIn();
    if (step.kind !== 'factors') throw new Error('no factor was asked for');
    return step.factors.find(({ kind }) => kind === 'totp')!.id;
  };

  test('reports how people sign in', async () => {
    const destination = { kind: 'service', url: `${service.url}/` } as const;
    expect(await ask('setup.try', { choice: destination })).toEqual({
      location: service.url,
      holdsBackups: false,
      signIn: { password: true, provider: false },
    });
  });

  test('is refused when it is a web site or does not exist', async () => {
    const site = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Shop</title>');
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    expect(await failureFrom(ask('setup.try', { choice: { kind: 'service', url } }))).toMatchObject({
      code: 'service_broken',
    });
    await new Promise((resolve) => site.close(resolve));
    expect(await failureFrom(ask('setup.try', { choice: { kind: 'service', url } }))).toMatchObject({
      code: 'service_unreachable',
    });
  });

  test('registers this computer after password and code, with a second attempt after a wrong code', async () => {
    const wrong = { url: service.url, email: ANNA.email, password: 'wrong password' };
    expect(await failureFrom(ask('setup.sign-in', wrong))).toMatchObject({ code: 'password_wrong' });
    const factor = await totp();
    expect(await failureFrom(ask('setup.verify-factor', { factor, code: '000000' }))).toMatchObject({
      code: 'code_wrong',
    });
    const step = await ask('setup.verify-factor', { factor, code: service.code() });
    expect(step).toEqual({ kind: 'signed-in', email: ANNA.email, holdsBackups: false, devices: [] });
    const destination = { kind: 'service', url: service.url } as const;
    // The access token has expired by then, and is renewed.
    service.advance(61 * 60_000);
    await ask('setup.finish', { choice: destination, deviceName: 'laptop' });
    service.advance(-61 * 60_000);
    expect(fixture.agent.settings()).toMatchObject({
      destination: { signIn: { kind: 'device' } },
      deviceName: 'laptop',
    });
    expect(await fixture.agent.devices()).toMatchObject([{ name: 'laptop' }]);
    const kept = readFileSync(fixture.home.secretsFile, 'utf8');
    expect(kept).not.toContain('refreshToken');
    if (process.platform !== 'win32') expect(statSync(fixture.home.secretsFile).mode & 0o077).toBe(0);
  });

  test('keeps the sign-in when the phrase is wrong', async () => {
    let factor = await totp();
    await ask('setup.verify-factor', { factor, code: service.code() });
    const destination = { kind: 'service', url: service.url } as const;
    await ask('setup.finish', { choice: destination, deviceName: 'laptop' });
    await fixture.agent.addSet({
      form: {
        name: 'docs',
        roots: [fixture.write('docs/a').slice(0, -2)],
        excludes: [],
        oneFileSystem: false,
        privateNames: false,
      },
    });
    await fixture.agent.backup({ set: 'docs' }, {});
    const phrase = await fixture.agent.recoveryPhrase();
    const other = new HandlerFixture();
    try {
      ask = other.ask(setupMethods, setupHandlers(other.host()));
      factor = await totp();
      const step = await ask('setup.verify-factor', { factor, code: service.code() });
      expect(step).toMatchObject({ holdsBackups: true, devices: [{ name: 'laptop' }] });
      const finish = (words: string) => ask('setup.finish', { choice: destination, deviceName: 'new', phrase: words });
      expect(await failureFrom(finish('nonsense'))).toMatchObject({ code: 'phrase_invalid' });
      expect(await finish(phrase)).toMatchObject({
        isAdopted: true,
        storedSets: [{ set: 'docs', deviceName: 'laptop' }],
      });
      expect(await other.agent.devices()).toHaveLength(2);
    } finally {
      other.close();
    }
  });

  test('requires a new sign-in when the code was entered too late', async () => {
    const factor = await totp();
    service.advance(6 * 60_000);
    const verify = () => ask('setup.verify-factor', { factor, code: service.code() });
    expect(await failureFrom(verify())).toMatchObject({ code: 'signed_out' });
    expect(await failureFrom(verify())).toMatchObject({ code: 'signed_out' });
    await signIn();
    expect(await verify()).toMatchObject({ kind: 'signed-in' });
  });

  test('ends the sign-in after fifteen minutes, and when it is given up', async () => {
    const destination = { kind: 'service', url: service.url } as const;
    const finish = () => ask('setup.finish', { choice: destination, deviceName: 'laptop' });
    expect(await failureFrom(finish())).toMatchObject({ code: 'signed_out' });
    await ask('setup.verify-factor', { factor: await totp(), code: service.code() });
    await ask('setup.cancel', {});
    expect(await failureFrom(finish())).toMatchObject({ code: 'signed_out' });
    await ask('setup.verify-factor', { factor: await totp(), code: service.code() });
    fixture.advance(SIGN_IN_LIFETIME_MS + 1);
    expect(await failureFrom(finish())).toMatchObject({ code: 'signed_out' });
    expect(existsSync(fixture.home.settingsFile)).toBe(false);
  });
});

describe('an identity provider', () => {
  let service: HttpService;
  beforeEach(async () => {
    service = await HttpService.open(async (url) => [
      { name: 'company', issuer: await startIdentityProvider(() => `${url}/auth/v1/callback`), ...CLIENT },
    ]);
  });
  afterEach(() => service.close());

  /** Acts as the person in the browser that the agent opened. */
  const inBrowser = async (name: string | undefined): Promise<void> => {
    await vi.waitFor(() => expect(fixture.browsed).toHaveLength(1), { timeout: 60_000, interval: 20 });
    const browser = new Browser((url, init) => fetch(url, init));
    const isBack = (url: string): boolean => /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\?/.test(url);
    const end = await browser.signIn(fixture.browsed.pop()!, name, isBack);
    await (await fetch(end)).text();
  };

  test('signs a person in with the browser, and asks for the second factor in the app', async () => {
    const destination = { kind: 'service', url: service.url } as const;
    expect(await ask('setup.try', { choice: destination })).toMatchObject({ signIn: { provider: true } });
    const signingIn = ask('setup.sign-in-with-provider', { url: service.url });
    await inBrowser('anna');
    const step = await signingIn;
    if (step.kind !== 'factors') throw new Error('no factor was asked for');
    const verify = { factor: step.factors[0]!.id, code: service.code() };
    expect(await ask('setup.verify-factor', verify)).toMatchObject({ kind: 'signed-in', email: ANNA.email });
    await ask('setup.finish', { choice: destination, deviceName: 'laptop' });
    expect(await fixture.agent.devices()).toMatchObject([{ name: 'laptop' }]);
  });

  test('distinguishes a refusal from a person who gives up', async () => {
    const refused = failureFrom(ask('setup.sign-in-with-provider', { url: service.url }));
    await inBrowser(undefined);
    expect(await refused).toMatchObject({ code: 'provider_refused' });
    const givenUp = failureFrom(ask('setup.sign-in-with-provider', { url: service.url }));
    await vi.waitFor(() => expect(fixture.browsed).toHaveLength(1), { timeout: 60_000, interval: 20 });
    await ask('setup.cancel', {});
    expect(await givenUp).toMatchObject({ code: 'interrupted' });
  });
});

describe.skipIf(!HAS_S3)('a bucket (scripts/install-test-tools.sh)', () => {
  test('is tried, set up with its keys, and opened again by the phrase', async () => {
    const { bucket, endpoint, region, credentials } = await newBucket();
    const destination = { kind: 'bucket', address: `s3://${bucket}/laptop`, endpoint, region, ...credentials } as const;
    const denied = ask('setup.try', { choice: { ...destination, secretAccessKey: 'wrong' } });
    expect(await failureFrom(denied)).toMatchObject({ code: 'permission_denied' });
    const missing = ask('setup.try', { choice: { ...destination, address: 's3://nothing-of-that-name' } });
    expect(await failureFrom(missing)).toMatchObject({ code: 'destination_missing' });
    const wrong = ask('setup.try', { choice: { ...destination, address: 'https://bucket' } });
    expect(await failureFrom(wrong)).toMatchObject({ code: 'usage', details: { problem: 'bucket-address' } });
    const lockless = ask('setup.try', { choice: { ...destination, objectLockDays: 30 } });
    expect(await failureFrom(lockless)).toMatchObject({ details: { problem: 'bucket-without-locks' } });
    expect(await ask('setup.try', { choice: { ...destination, objectLockDays: 0 } })).toBeDefined();
    const trial = { location: destination.address, holdsBackups: false, cautions: [] };
    expect(await ask('setup.try', { choice: destination })).toEqual(trial);
    await ask('setup.finish', { choice: destination, deviceName: 'laptop' });
    expect(readFileSync(fixture.home.settingsFile, 'utf8')).not.toContain(credentials.secretAccessKey);
    expect(await ask('setup.try', { choice: destination })).toEqual({ ...trial, holdsBackups: true });
    const phrase = await fixture.agent.recoveryPhrase();
    const other = new HandlerFixture();
    try {
      const call = other.ask(setupMethods, setupHandlers(other.host()));
      const finish = (words?: string) =>
        call('setup.finish', { choice: destination, deviceName: 'new', phrase: words });
      expect(await failureFrom(finish())).toMatchObject({ code: 'phrase_needed' });
      expect(await finish(phrase)).toMatchObject({ isAdopted: true });
    } finally {
      other.close();
    }
  });
});
