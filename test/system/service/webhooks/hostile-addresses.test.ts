import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  AddressRefused,
  createAddressGuard,
  type ResolvedAddress,
} from '../../../../src/service/webhooks/guarded-lookup.ts';
import { createSender } from '../../../../src/service/webhooks/sender.ts';
import { deliveryTo } from './delivery.ts';
import { hostileUrls } from './hostile-urls.ts';
import { startReceiver, type TestReceiver } from './receiver.ts';

/** Hosts of URLs; PORT is the port on which this test listens on all loopback addresses. */
const LITERAL_HOSTS = [
  '127.0.0.1',
  '127.0.0.2',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7F.0.0.1',
  '0177.0.0.1',
  '00000177.0.0.1',
  '017700000001',
  '127.0.0.1.',
  '0',
  '0.0.0.0',
  '１２７.０.０.１',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::127.0.0.1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fe80::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '0251.0376.0251.0376',
  '[::ffff:169.254.169.254]',
  '100.64.0.1',
  '100.100.100.200',
  '192.0.0.192',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
];
const UNREADABLE_HOSTS = ['user@127.0.0.1', 'example.com@127.0.0.1', 'user:pass@localhost', '[::1%25lo]', '[::1%lo]'];
const REAL_NAMES = ['localhost', 'localhost.', 'LOCALHOST', 'ｌｏｃａｌｈｏｓｔ'];

const PRIVATE_ANSWERS: readonly (readonly string[])[] = [
  ['127.0.0.1'],
  ['::1'],
  ['::ffff:127.0.0.1'],
  ['0.0.0.0'],
  ['10.1.2.3'],
  ['169.254.169.254'],
  ['fd00:ec2::254'],
  ['64:ff9b::a9fe:a9fe'],
  ['2002:7f00:1::1'],
  ['fe80::1%lo'],
  // Mixed results: a public address first, last, and of the other family.
  ['93.184.215.14', '127.0.0.1'],
  ['127.0.0.1', '93.184.215.14'],
  ['2606:4700:4700::1111', '::1'],
  ['2606:4700:4700::1111', '10.0.0.1'],
  // Results that are not addresses.
  ['localhost'],
  ['2130706433'],
  [],
];

describe("addresses of the service's own network", () => {
  const receivers: TestReceiver[] = [];
  let port = 0;
  let attempts: string[] = [];

  // Node's own report of every socket that it creates and every address that one connects to.
  const watch = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    socket.on('connectionAttempt', (address: string) => attempts.push(address));
  };

  beforeEach(async () => {
    const first = await startReceiver(() => 200);
    port = first.port;
    receivers.push(first, await startReceiver(() => 200, { host: '127.0.0.2', port }));
    receivers.push(await startReceiver(() => 200, { host: '::1', port }));
    attempts = [];
    subscribe('net.client.socket', watch);
  });
  afterEach(async () => {
    unsubscribe('net.client.socket', watch);
    for (const receiver of receivers.splice(0)) await receiver[Symbol.asyncDispose]();
  });

  const connections = (): number => receivers.reduce((sum, receiver) => sum + receiver.connections, 0);

  test.each(['http', 'https'])('get no connection from %s URLs that contain them', async (scheme) => {
    const send = createSender({ allowPrivate: false });
    const hosts = [...LITERAL_HOSTS, ...UNREADABLE_HOSTS, ...REAL_NAMES];
    const tries = hosts.map(async (host) => [
      host,
      (await send(deliveryTo(`${scheme}://${host}:${port}/`), bounded())).outcome,
    ]);
    const outcomes = Object.fromEntries(await Promise.all(tries)) as Record<string, unknown>;

    const refused = (reason: unknown): object => ({ kind: 'failed', reason });
    expect(outcomes).toEqual({
      ...Object.fromEntries(LITERAL_HOSTS.map((host) => [host, refused('ADDRESS_REFUSED')])),
      // Not every system resolves its own name with a trailing dot.
      ...Object.fromEntries(
        REAL_NAMES.map((host) => [host, refused(expect.stringMatching(/^(ADDRESS_REFUSED|ENOTFOUND|EAI_AGAIN)$/))]),
      ),
      ...Object.fromEntries(UNREADABLE_HOSTS.map((host) => [host, refused(expect.stringMatching(/^URL /))])),
    });
    expect(attempts).toEqual([]);
    expect(connections()).toBe(0);
  });

  test('get no connection in any spelling', async () => {
    const urls = hostileUrls(port);
    expect(urls.length).toBeGreaterThan(500);
    const send = createSender({ allowPrivate: false });
    for (const url of urls) {
      const { outcome } = await send(deliveryTo(url), bounded());
      expect({ url, ...outcome }).toEqual({
        url,
        kind: 'failed',
        reason: expect.stringMatching(/^(ADDRESS_REFUSED$|URL )/),
      });
    }
    expect(attempts).toEqual([]);
    expect(connections()).toBe(0);
  });

  test('get no connection from a redirect', async () => {
    for (const [index, location] of hostileUrls(port).slice(0, 20).entries()) {
      await using redirecting = await startReceiver((_request, response) => {
        response.writeHead([301, 302, 303, 307, 308][index % 5]!, { Location: location }).end();
        return undefined;
      });
      // Only the redirecting address is allowed here, and nothing else is requested.
      await createSender({ allowPrivate: true })(deliveryTo(redirecting.url), bounded());
      expect(redirecting.connections).toBe(1);
    }
    expect(connections()).toBe(0);
  });

  test.each(['http', 'https'])('get no connection over %s from names that resolve to them', async (scheme) => {
    for (const answer of PRIVATE_ANSWERS) {
      const send = createSender({ allowPrivate: false, resolve: async () => answer.map(resolved) });
      const { outcome } = await send(deliveryTo(`${scheme}://receiver.example:${port}/`), bounded());
      expect({ answer, ...outcome }).toEqual({ answer, kind: 'failed', reason: 'ADDRESS_REFUSED' });
    }
    expect(attempts).toEqual([]);
    expect(connections()).toBe(0);
  });

  test('are not reached by a name whose address changes after its check', async () => {
    const answers = [['93.184.215.14', '2606:4700:4700::1111'], ['127.0.0.1']];
    const asked: string[] = [];
    const guard = createAddressGuard({
      allowPrivate: false,
      resolve: async (hostname) => {
        asked.push(hostname);
        return (answers.shift() as string[]).map(resolved);
      },
    });
    const lookup = (): Promise<unknown> =>
      new Promise((resolve, reject) => {
        guard.lookup('receiver.example', { all: true }, (error, addresses) =>
          error === null ? resolve(addresses) : reject(error),
        );
      });
    // The socket gets the checked address itself, and the next attempt resolves the name again.
    expect(await lookup()).toEqual([resolved('93.184.215.14'), resolved('2606:4700:4700::1111')]);
    await expect(lookup()).rejects.toThrow(AddressRefused);
    expect(asked).toEqual(['receiver.example', 'receiver.example']);
  });

  test('are reached if the admin allows it', async () => {
    const send = createSender({ allowPrivate: true, resolve: async () => [resolved('127.0.0.2')] });
    for (const host of ['127.0.0.1', '2130706433', '[::1]', 'receiver.example']) {
      const { outcome } = await send(deliveryTo(`http://${host}:${port}/`), bounded());
      expect({ host, ...outcome }).toMatchObject({ host, kind: 'answered', status: 200 });
    }
    expect(attempts).toEqual(['127.0.0.1', '127.0.0.1', '::1', '127.0.0.2']);
    expect(receivers.map((receiver) => receiver.connections)).toEqual([2, 1, 1]);
  });
});

function resolved(address: string): ResolvedAddress {
  return { address, family: address.includes(':') ? 6 : 4 };
}

function bounded(): AbortSignal {
  return AbortSignal.timeout(20_000);
}
