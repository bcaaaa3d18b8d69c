import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HttpFailure, type HttpFailureKind } from '../../../src/remote/http/http-failure.ts';
import { INTERACTIVE_RETRY_POLICY } from '../../../src/remote/http/retrier.ts';
import { errorForFailure } from '../../../src/remote/client/error-response.ts';
import { BrokenConnection } from '../../../src/remote/http/retrier.ts';
import { SftpStorage } from '../../../src/storage/sftp/sftp-storage.ts';
import type { StorageParts } from '../../../src/storage/retries.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { WebdavStorage } from '../../../src/storage/webdav/webdav-storage.ts';
import { InstantClock } from '../../unit/remote/instant-clock.ts';

/** What attempts at a server that is silent last: those of SSH until the user has signed in, and those of HTTP until a response. */
const SILENCE = 30_000;

interface SilentStore {
  readonly storage: Storage;
  readonly tries: () => number;
}

const STORES: Readonly<Record<string, (parts: Omit<StorageParts, 'clock'>) => Promise<SilentStore>>> = {
  sftp: async (parts) => {
    const clock = new InstantClock();
    let tries = 0;
    const server = createServer((socket) => {
      tries += 1;
      clock.advance(SILENCE);
      socket.destroy();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(async () => void (await new Promise((resolve) => server.close(resolve))));
    const config = {
      host: '127.0.0.1',
      port: (server.address() as AddressInfo).port,
      user: 'anybody',
      path: '/backups',
      hostKey: { kind: 'known', fingerprint: 'SHA256:none' },
      authentication: { kind: 'password', password: 'secret' },
    } as const;
    return { storage: new SftpStorage(config, { clock, ...parts }), tries: () => tries };
  },
  webdav: async (parts) => webdav('timeout', parts),
};

function webdav(kind: HttpFailureKind, parts: Omit<StorageParts, 'clock'>): SilentStore {
  const clock = new InstantClock();
  let tries = 0;
  const http = {
    request: () => {
      tries += 1;
      clock.advance(SILENCE);
      return Promise.reject(new HttpFailure(kind, 'http://store', { connected: true }));
    },
    close: () => Promise.resolve(),
  };
  return { storage: new WebdavStorage({ url: 'http://store/' }, { clock, http, ...parts }), tries: () => tries };
}

describe.each(Object.keys(STORES))('a store by %s whose connections are silent', (kind) => {
  const open = STORES[kind]!;

  test.each([
    ['two minutes', {}, 4],
    ['as long as somebody has said', { maxWaitMs: 1_000 }, 1],
    ['no second time when a person waits', { policy: INTERACTIVE_RETRY_POLICY }, 1],
  ] as const)('is waited for %s by all calls together', async (_, parts, tries) => {
    const store = await open(parts);
    await using storage = store.storage;

    await expect(storage.rootNames!()).rejects.toMatchObject({ code: 'service_unreachable' });
    await expect(storage.space!()).rejects.toMatchObject({ code: 'service_unreachable' });
    await expect(storage.delete('packs/a')).rejects.toMatchObject({ code: 'service_unreachable' });

    expect(store.tries()).toBe(tries);
  });

  test('says that it waits', async () => {
    const reasons: (string | undefined)[] = [];
    await using storage = (await open({ onWaiting: (reason) => reasons.push(reason) })).storage;

    await expect(storage.space!()).rejects.toMatchObject({ code: 'service_unreachable' });

    expect(reasons).toEqual(['destination_unreachable', undefined]);
  });
});

test('transfers whose connections break are repeated, however long they lasted', async () => {
  const { storage, tries } = webdav('reset', {});
  await using _ = storage;

  await expect(storage.space!()).rejects.toMatchObject({ code: 'service_unreachable' });

  expect(tries()).toBeGreaterThan(7);
});

test.each([
  ['timeout', true, false],
  ['timeout', false, false],
  ['refused', false, false],
  ['reset', true, true],
] as const)(
  'a request to a service that ends by %s (connected: %s): was a transfer: %s',
  (kind, connected, isBroken) => {
    const failure = errorForFailure(new HttpFailure(kind, 'https://service', { connected }));
    expect(failure instanceof BrokenConnection).toBe(isBroken);
  },
);
