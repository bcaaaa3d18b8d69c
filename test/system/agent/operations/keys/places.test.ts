import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SetupRequest } from '../../../../../src/agent/operations/setup.ts';
import type { SetupDestination } from '../../../../../src/agent/setup/join-request.ts';
import { CREDENTIALS, HAS_APACHE, startApache } from '../../../../helpers/webdav/apache.ts';
import { HAS_S3, newBucket } from '../../../../helpers/s3/s3-server.ts';
import { HAS_SSHD, SftpServer } from '../../../../helpers/sftp/sftp-server.ts';
import { failureFrom, HandlerFixture } from '../../../../unit/agent/host/handler-fixture.ts';
import { ANNA, HttpService } from '../../host/http-service.ts';
import { IS_THOROUGH } from '../../../../helpers/thorough.ts';
import { keepThreads } from '../../../../helpers/kept-threads.ts';

keepThreads();

/** A place for backups of one kind. */
interface Place {
  /** For each computer anew: a service takes a code once. */
  destination(): SetupDestination;
  /** Lets time pass at a service. */
  pass?(): void;
  close(): Promise<void>;
}

interface Kind {
  readonly name: string;
  readonly isMissing?: boolean;
  open(): Promise<Place>;
}

const HAS_RCLONE = spawnSync('rclone', ['version'], { stdio: 'ignore' }).status === 0;

/** A folder that disappears with its place. */
function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'holdfast-place-'));
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

const KINDS: readonly Kind[] = [
  {
    name: 'a folder',
    open: async () => {
      const folder = newFolder();
      const destination = { kind: 'folder', directory: join(folder, 'backups') } as const;
      return { destination: () => destination, close: async () => remove(folder) };
    },
  },
  {
    name: 'a bucket',
    isMissing: !HAS_S3,
    open: async () => {
      const { bucket, prefix, ...rest } = await newBucket('computers/');
      return {
        destination: () => ({ kind: 'bucket', address: `s3://${bucket}/${prefix}`, ...rest }),
        close: async () => undefined,
      };
    },
  },
  {
    name: 'an SSH server',
    isMissing: !HAS_SSHD,
    open: async () => {
      const folder = newFolder();
      const server = await SftpServer.start();
      const destination = {
        kind: 'sftp',
        host: '127.0.0.1',
        port: server.port,
        user: userInfo().username,
        path: join(folder, 'backups'),
        authentication: { kind: 'key-file', file: server.keyFile },
        hostKey: server.fingerprint,
      } as const;
      const close = async (): Promise<void> => {
        await server.close();
        remove(folder);
      };
      return { destination: () => destination, close };
    },
  },
  {
    name: 'a WebDAV server',
    isMissing: !HAS_APACHE,
    open: async () => {
      const folder = newFolder();
      // The server may run as another user.
      chmodSync(folder, 0o755);
      mkdirSync(join(folder, 'served'));
      const { url, stop } = await startApache(join(folder, 'served'));
      const close = async (): Promise<void> => {
        await stop();
        remove(folder);
      };
      return { destination: () => ({ kind: 'webdav', url: `${url}backups/`, ...CREDENTIALS }), close };
    },
  },
  {
    name: 'rclone',
    isMissing: !HAS_RCLONE,
    open: async () => {
      const folder = newFolder();
      const destination = { kind: 'rclone', remote: join(folder, 'backups') } as const;
      return { destination: () => destination, close: async () => remove(folder) };
    },
  },
  {
    name: 'a service',
    open: async () => {
      const service = await HttpService.open();
      return {
        destination: () => ({ kind: 'user', url: service.url, ...ANNA, code: service.code() }),
        pass: () => service.advance(60_000),
        close: () => service.close(),
      };
    },
  },
];

interface Computer {
  readonly fixture: HandlerFixture;
  readonly deviceId: string;
}

/** What the program has by itself, and one store that it reaches over a network; the others differ in the store alone. */
const USUAL: ReadonlySet<string> = new Set(['a folder', 'an SSH server', 'a service']);

describe.each(KINDS.filter(({ name }) => IS_THOROUGH || USUAL.has(name)))(
  'the key of backups at $name',
  ({ name, isMissing = false, open }) => {
    let place: Place;
    const fixtures: HandlerFixture[] = [];
    beforeAll(async () => {
      if (!isMissing) place = await open();
    });
    afterEach(() => {
      for (const fixture of fixtures.splice(0)) fixture.close();
    });
    afterAll(() => place?.close());

    async function newComputer(
      deviceName: string,
      keys: Pick<SetupRequest, 'recoveryPhrase' | 'passphrase' | 'keyCode'> = {},
    ): Promise<Computer> {
      const fixture = new HandlerFixture();
      fixtures.push(fixture);
      const { deviceId } = await fixture.agent.setup({ destination: place.destination(), deviceName, ...keys });
      const roots = [fixture.path('files')];
      fixture.write('files/own.txt', deviceName);
      await fixture.agent.addSet({
        form: { name: 'documents', roots, excludes: [], oneFileSystem: false, privateNames: false },
      });
      return { fixture, deviceId };
    }

    async function backUp({ fixture }: Computer): Promise<void> {
      place.pass?.();
      expect((await fixture.agent.backup({ set: 'documents' }, {})).warnings).toEqual([]);
    }

    /** Expects that a computer restores what another one has backed up. */
    async function expectRestored(reader: Computer, writer: Computer, content: string): Promise<void> {
      const to = reader.fixture.path(`restored from ${writer.deviceId} ${Math.random()}`);
      const request = { set: 'documents', device: writer.deviceId, at: 'latest', to, paths: [] } as const;
      expect((await reader.fixture.agent.restore(request, {})).failures).toEqual([]);
      expect(readFileSync(join(to, 'files', 'own.txt'), 'utf8')).toBe(content);
    }

    test.skipIf(isMissing)('is changed, given to some, withheld from others, and opened by each means', async () => {
      const desktop = await newComputer('desktop');
      const { agent } = desktop.fixture;
      await backUp(desktop);
      const recoveryPhrase = await agent.recoveryPhrase();
      const server = await newComputer('server', { recoveryPhrase });
      const laptop = await newComputer('laptop', { recoveryPhrase });
      for (const computer of [server, laptop]) await backUp(computer);

      // A change of the key, which removes one of them.
      await agent.rotateKey({ revoke: 'laptop' });
      writeFileSync(desktop.fixture.path('files', 'own.txt'), 'new');
      await backUp(desktop);
      await backUp(server);
      const fresh = await agent.recoveryPhrase();
      expect(fresh).not.toBe(recoveryPhrase);
      expect(await server.fixture.agent.recoveryPhrase()).toBe(fresh);
      expect(await failureFrom(backUp(laptop))).toMatchObject({ code: 'key_outdated' });
      expect(await laptop.fixture.agent.recoveryPhrase()).toBe(recoveryPhrase);
      await expectRestored(server, desktop, 'new');
      await expectRestored(desktop, laptop, 'laptop');

      // The new phrase opens what was stored before, too.
      const phone = await newComputer('phone', { recoveryPhrase: fresh });
      await expectRestored(phone, desktop, 'new');
      await expectRestored(phone, laptop, 'laptop');

      // A passphrase, until it is removed.
      await agent.changePassphrase({ passphrase: 'six random words' });
      await backUp(desktop);
      expect(await failureFrom(newComputer('guest', { passphrase: 'a guess' }))).toMatchObject({
        code: 'passphrase_wrong',
      });
      await expectRestored(await newComputer('guest', { passphrase: 'six random words' }), laptop, 'laptop');
      await agent.changePassphrase({});
      await backUp(desktop);
      expect(await failureFrom(newComputer('late', { passphrase: 'six random words' }))).toMatchObject({
        code: 'phrase_needed',
      });

      // A code, for one computer.
      if (name === 'a service') {
        expect(await failureFrom(agent.newKeyCode())).toMatchObject({ details: { problem: 'code-of-service' } });
      } else {
        const { code: keyCode } = await agent.newKeyCode();
        await expectRestored(await newComputer('coded', { keyCode }), desktop, 'new');
        expect(await failureFrom(newComputer('again', { keyCode }))).toMatchObject({ code: 'key_code_wrong' });
      }
      await backUp(server);
    });
  },
);
