import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { homeAt } from '../../../../../src/agent/home/home.ts';
import { HomeLock } from '../../../../../src/agent/home/home-lock.ts';
import { loadSettings } from '../../../../../src/agent/home/settings.ts';
import type { DestinationChoice } from '../../../../../src/ipc/contract/setup.ts';
import { HAS_RCLONE, rcloneConfiguration } from '../../../../helpers/rclone/rclone-configuration.ts';
import { HAS_SSHD, SftpServer } from '../../../../helpers/sftp/sftp-server.ts';
import { HAS_S3, newBucket } from '../../../../helpers/s3/s3-server.ts';
import { DestinationFixture } from './destination-fixture.ts';
import { failureFrom } from '../../../../unit/agent/host/handler-fixture.ts';
import { ANNA, HttpService } from '../http-service.ts';

type ChoiceOf<Kind extends DestinationChoice['kind']> = Extract<DestinationChoice, { kind: Kind }>;

let fixture: DestinationFixture;
beforeEach(() => {
  fixture = new DestinationFixture();
});
afterEach(() => fixture.close());

const deviceId = (): string => loadSettings(homeAt(fixture.at('home')))!.deviceId;

describe('backups that were moved', () => {
  test('are continued at their new location', async () => {
    await using host = await fixture.start();
    await fixture.setUp(host);
    expect(await fixture.backUp(host)).toBeGreaterThan(0);
    cpSync(fixture.at('backups'), fixture.at('older'), { recursive: true });
    fixture.write('1.txt', 'changed');
    await fixture.backUp(host);
    const before = deviceId();
    mkdirSync(fixture.at('mnt'));
    renameSync(fixture.at('backups'), fixture.at('mnt', 'disk'));

    await fixture.command('home 2', ['setup', '--destination', fixture.at('foreign')]);
    const move = (name: string): Promise<unknown> =>
      host.call('destination.move', { choice: fixture.folderChoice(name) });
    for (const [name, problem] of [
      ['nothing', 'destination-other'],
      ['foreign', 'destination-other'],
      ['older', 'destination-older'],
    ] as const) {
      expect(await failureFrom(move(name))).toMatchObject({ code: 'usage', details: { problem } });
    }
    expect(existsSync(fixture.at('nothing'))).toBe(false);
    expect(loadSettings(homeAt(fixture.at('home')))!.destination).toEqual({
      kind: 'folder',
      directory: fixture.at('backups'),
    });

    await move('mnt/disk');
    await host.until('the new destination', ({ destination }) => destination?.location === fixture.at('mnt', 'disk'));
    expect(await failureFrom(move('mnt/disk'))).toMatchObject({ details: { problem: 'destination-same' } });
    expect(deviceId()).toBe(before);
    expect(host.states.at(-1)).toMatchObject({ health: 'protected' });
    fixture.write('2.txt', 'changed, too');
    // Only changes are sent, since the stored chunks are known.
    expect(await fixture.backUp(host)).toBeLessThan(50_000);
    expect(await fixture.differences()).toBe('');
  });
});

describe('a new destination', () => {
  test('gets complete backups, while the former one can be returned to', async () => {
    await using host = await fixture.start();
    await fixture.setUp(host);
    const whole = await fixture.backUp(host);
    // The savings of the second backup are at this destination.
    await fixture.backUp(host);
    const { storage: figures } = await host.until('what it saved', ({ storage }) => (storage.savedBytes ?? 0) > 0);
    const first = deviceId();
    cpSync(fixture.at('files'), fixture.at('files before'), { recursive: true });
    fixture.write('3.txt', 'only at the second destination');

    await host.call('destination.begin', { choice: fixture.folderChoice('second') });
    // The new destination has no chunks yet.
    const begun = await host.until(
      'the second destination',
      ({ destination }) => destination?.location === fixture.at('second'),
    );
    expect(begun).toMatchObject({ health: 'at-risk', needs: [{ kind: 'first-backup', set: 'Documents' }] });
    expect(begun.sets[0]!.lastPoint).toBeUndefined();
    expect(begun.storage).toEqual({ protectedBytes: 0 });
    const second = deviceId();
    expect(second).not.toBe(first);
    expect(await fixture.backUp(host)).toBeGreaterThan(whole * 0.9);
    const well = await host.until('that all is well', ({ health }) => health === 'protected');
    expect(well.storage.storedBytes).toBeGreaterThan(whole * 0.9);
    expect(well.storage.savedBytes ?? 0).toBeLessThan(whole * 0.1);
    expect(await fixture.differences()).toBe('');
    expect(await fixture.differencesAt(fixture.at('second'), second)).toBe('');
    expect(await fixture.differencesAt(fixture.at('backups'), first, 'files before')).toBe('');

    const { destinations } = await host.call('destination.former', {});
    expect(destinations).toMatchObject([{ kind: 'folder', location: fixture.at('backups') }]);
    expect(await failureFrom(host.call('destination.return', { leftAt: 1 }))).toMatchObject({
      code: 'destination_unknown',
    });
    renameSync(fixture.at('backups'), fixture.at('away'));
    expect((await failureFrom(host.call('destination.return', destinations[0]!))).code).toBe('destination_missing');
    renameSync(fixture.at('away'), fixture.at('backups'));
    await host.call('destination.return', destinations[0]!);
    expect(deviceId()).toBe(first);
    // Earlier backups at this destination count.
    const back = await host.until('the first destination', ({ destination, health }) => {
      return destination?.location === fixture.at('backups') && health === 'protected';
    });
    // So do the bytes stored here, as of the last run then.
    expect(back.storage).toEqual(figures);
    expect(await fixture.differences('home', [], 'files before')).toBe('');
    await fixture.backUp(host);
    const next = await host.until('what that saved', ({ storage }) => storage.savedBytes !== figures.savedBytes);
    expect(next.storage.savedBytes).toBeGreaterThan(figures.savedBytes! + whole * 0.8);
    expect(await fixture.differences()).toBe('');
    expect((await host.call('destination.former', {})).destinations.map(({ location }) => location)).toEqual([
      fixture.at('second'),
    ]);
  });

  test('is refused while a run is active, and when it holds other backups', async () => {
    await using host = await fixture.start();
    await fixture.setUp(host);
    await fixture.backUp(host);
    const home = homeAt(fixture.at('home'));
    const begin = (name: string): Promise<unknown> =>
      host.call('destination.begin', { choice: fixture.folderChoice(name) });
    {
      using _lock = HomeLock.acquire(home, 'backup Documents', Date.now());
      expect(await failureFrom(begin('second'))).toMatchObject({ code: 'home_busy' });
    }
    expect(existsSync(fixture.at('second'))).toBe(false);
    expect(await failureFrom(begin('backups'))).toMatchObject({ details: { problem: 'destination-same' } });
    await fixture.command('home 2', ['setup', '--destination', fixture.at('foreign')]);
    await fixture.command('home 2', ['set', 'add', 'Theirs', fixture.at('files', 'deep')]);
    await fixture.command('home 2', ['backup', 'Theirs']);
    expect((await failureFrom(begin('foreign'))).code).toBe('phrase_other_account');
    expect(await fixture.backUp(host)).toBeLessThan(50_000);
    expect(await fixture.differences()).toBe('');
  });

  test('is not adopted partly when the last step fails', async () => {
    await using host = await fixture.start();
    await fixture.setUp(host);
    await fixture.backUp(host);
    const before = readFileSync(fixture.at('home', 'settings.json'), 'utf8');
    // Saving the settings, which is decisive, fails, as when the program ends right before.
    const kept = fixture.at('home', 'settings.json.bak');
    rmSync(kept);
    mkdirSync(kept);
    const begin = (): Promise<unknown> => host.call('destination.begin', { choice: fixture.folderChoice('second') });
    expect((await failureFrom(begin())).code).toBe('home_unwritable');
    expect(readFileSync(fixture.at('home', 'settings.json'), 'utf8')).toBe(before);
    rmSync(kept, { recursive: true });
    fixture.write('6.txt', 'written in between');
    // The catalog was cleared by then. Stored chunks are found again.
    expect(await fixture.backUp(host)).toBeLessThan(50_000);
    expect(await fixture.differences()).toBe('');
    await begin();
    await fixture.backUp(host);
    expect(await fixture.differences()).toBe('');
  });

  test('gets the retention policies', async () => {
    await using host = await fixture.start();
    await fixture.setUp(host);
    await fixture.backUp(host);
    const policy = { keepAllDays: 3, daily: 7 };
    await host.call('sets.retention.save', { set: 'Documents', policy });
    await host.call('destination.begin', { choice: fixture.folderChoice('second') });
    await fixture.backUp(host);
    expect((await host.call('sets.retention', { set: 'Documents' })).policy).toMatchObject(policy);
  });

  test('may be a service with its own sign-in, whose address may change, and a return to the folder', async () => {
    const service = await HttpService.open();
    try {
      await using host = await fixture.start();
      await fixture.setUp(host);
      await fixture.backUp(host);
      const destination = { kind: 'service', url: service.url } as const;
      expect((await failureFrom(host.call('destination.begin', { choice: destination }))).code).toBe('signed_out');
      const step = await host.call('setup.sign-in', { url: service.url, ...ANNA });
      if (step.kind === 'factors') {
        await host.call('setup.verify-factor', { factor: step.factors[0]!.id, code: service.code() });
      }
      service.setBack();
      await host.call('destination.begin', { choice: destination });
      await fixture.backUp(host);
      expect(await fixture.differences()).toBe('');
      const other = service.url.replace('127.0.0.1', 'localhost');
      await host.call('destination.move', { choice: { kind: 'service', url: other } });
      expect(await fixture.differences()).toBe('');
      const [former] = (await host.call('destination.former', {})).destinations;
      await host.call('destination.return', former!);
      expect(await fixture.differences()).toBe('');
      const [back] = (await host.call('destination.former', {})).destinations;
      expect(back).toMatchObject({ kind: 'service', location: other });
      await host.call('destination.return', back!);
      fixture.write('4.txt', 'after it came back');
      await fixture.backUp(host);
      expect(await fixture.differences()).toBe('');
    } finally {
      await service.close();
    }
  });

  test.skipIf(!HAS_S3)('may be a bucket, and a second one, each with its own keys', async () => {
    await using host = await fixture.start();
    const choice = async (): Promise<Parameters<typeof fixture.setUp>[1] & { kind: 'bucket' }> => {
      const { bucket, endpoint, region, credentials } = await newBucket();
      return { kind: 'bucket', address: `s3://${bucket}/laptop`, endpoint, region, ...credentials };
    };
    const [one, two] = [await choice(), await choice()];
    await fixture.setUp(host, one);
    await fixture.backUp(host);
    await host.call('destination.begin', { choice: two });
    fixture.write('5.txt', 'in the second one');
    await fixture.backUp(host);
    expect(await fixture.differences()).toBe('');
    const nobody = await failureFrom(host.call('destination.move', { choice: await choice() }));
    expect(nobody).toMatchObject({ details: { problem: 'destination-other' } });
    const first = await failureFrom(host.call('destination.move', { choice: one }));
    expect(first).toMatchObject({ details: { problem: 'destination-other' } });
    // The same bucket, with new keys.
    await host.call('destination.move', { choice: two });
    expect(await fixture.differences()).toBe('');
    const { destinations } = await host.call('destination.former', {});
    await host.call('destination.return', destinations[0]!);
    await fixture.backUp(host);
    expect(await fixture.differences()).toBe('');
    expect(readFileSync(fixture.at('home', 'settings.json'), 'utf8')).not.toContain(one.secretAccessKey);
  });

  test.skipIf(!HAS_SSHD || !HAS_RCLONE)('may be an SSH server that moves, and a remote of rclone', async () => {
    const server = await SftpServer.start();
    try {
      const { name, configuration } = rcloneConfiguration(fixture.at());
      await using host = await fixture.start({ RCLONE_CONFIG: configuration });
      const ssh = (path: string, hostKey = server.fingerprint): ChoiceOf<'sftp'> => ({
        kind: 'sftp',
        host: `127.0.0.1:${server.port}`,
        user: userInfo().username,
        path: fixture.at(path),
        signIn: { kind: 'key-file', file: server.keyFile },
        hostKey,
      });
      await fixture.setUp(host, ssh('on the server'));
      await fixture.backUp(host);
      renameSync(fixture.at('on the server'), fixture.at('moved'));
      const move = (destination: DestinationChoice): Promise<unknown> =>
        host.call('destination.move', { choice: destination });
      expect(await failureFrom(move(ssh('elsewhere')))).toMatchObject({ code: 'destination_missing' });
      expect(await failureFrom(move(ssh('moved', `SHA256:${'A'.repeat(43)}`)))).toMatchObject({
        details: { reason: 'host-key' },
      });
      expect(await failureFrom(move({ kind: 'rclone', remote: name, folder: fixture.at('moved') }))).toMatchObject({
        details: { problem: 'destination-kind' },
      });
      await move(ssh('moved'));
      fixture.write('7.txt', 'after the move');
      await fixture.backUp(host);
      expect(await fixture.differences()).toBe('');

      const folder = fixture.at('cloud');
      await host.call('destination.begin', { choice: { kind: 'rclone', remote: name, folder } });
      await host.until('the cloud', ({ destination }) => destination?.location === `rclone:${name}:${folder}`);
      await fixture.backUp(host);
      expect(await fixture.differencesAt(folder, deviceId())).toBe('');
      const [former] = (await host.call('destination.former', {})).destinations;
      expect(former).toMatchObject({ kind: 'sftp', location: expect.stringMatching(/\/moved$/) });
      await host.call('destination.return', former!);
      await fixture.backUp(host);
      expect(await fixture.differences()).toBe('');
    } finally {
      await server.close();
    }
  });
});

describe.skipIf(!HAS_SSHD)('another host key of an SSH server', () => {
  test('stops backups until a person accepts it', async () => {
    const server = await SftpServer.start();
    try {
      await using host = await fixture.start();
      const before = server.fingerprint;
      await fixture.setUp(host, {
        kind: 'sftp',
        host: `127.0.0.1:${server.port}`,
        user: userInfo().username,
        path: fixture.at('on the server'),
        signIn: { kind: 'key-file', file: server.keyFile },
        hostKey: before,
      });
      await fixture.backUp(host);
      expect(await host.call('destination.host-key', {})).toMatchObject({ accepted: before, presented: before });
      await server.replaceHostKey();
      const after = server.fingerprint;
      expect(await host.call('destination.host-key', {})).toMatchObject({ accepted: before, presented: after });
      await host.call('runs.backup', { set: 'Documents' }).catch(() => undefined);
      await host.until('the failure', ({ runs, sets: [set] }) => {
        const failure = set?.lastBackup?.failure;
        return runs.length === 0 && failure?.code === 'service_unreachable' && failure.details.reason === 'host-key';
      });
      const accept = (fingerprint: string): Promise<unknown> =>
        host.call('destination.accept-host-key', { fingerprint });
      expect(await failureFrom(accept(before))).toMatchObject({
        details: { problem: 'host-key-unconfirmed', fingerprint: after },
      });
      await accept(after);
      await fixture.backUp(host);
      expect(await fixture.differences()).toBe('');
      // Questions of the window use the new key, too.
      expect((await host.call('restore.points', { set: 'Documents' })).points).toHaveLength(2);
    } finally {
      await server.close();
    }
  });

  test('is no matter for a folder', async () => {
    await using host = await fixture.start();
    await fixture.setUp(host);
    expect(await failureFrom(host.call('destination.host-key', {}))).toMatchObject({
      details: { problem: 'host-key-without-ssh' },
    });
  });
});
