import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { downloadBounded, type BoundedDownload } from '../../../../src/main/updates/bounded-download.ts';
import { getWithFetch } from './get-with-fetch.ts';

const CONTENT = Buffer.from('the next version\n'.repeat(10_000));
const ANNOUNCED = { size: CONTENT.length, sha512: createHash('sha512').update(CONTENT).digest('base64') };

describe('a download', () => {
  let folder: string;
  let server: Server;
  let answer: (response: ServerResponse) => void;
  let asked: string[];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-download-'));
    asked = [];
    answer = (response) => response.end(CONTENT);
    server = createServer(({ url = '' }, response) => {
      asked.push(url);
      answer(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });

  function download(changes: Partial<BoundedDownload> = {}): Promise<void> {
    return downloadBounded({
      get: getWithFetch,
      address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/next`,
      file: join(folder, 'next'),
      announced: ANNOUNCED,
      signal: new AbortController().signal,
      patienceMs: 60_000,
      longestMs: 3_600_000,
      onBytes: () => undefined,
      ...changes,
    });
  }

  test('is the announced file, for nobody else to read', async () => {
    const seen: number[] = [];
    await download({ onBytes: (bytes) => seen.push(bytes) });
    expect(readFileSync(join(folder, 'next')).equals(CONTENT)).toBe(true);
    expect([seen.at(-1), statSync(join(folder, 'next')).mode & 0o777]).toEqual([CONTENT.length, 0o600]);
  });

  test.each([
    ['is longer', (response: ServerResponse) => response.end(Buffer.concat([CONTENT, CONTENT])), 'damaged'],
    ['is shorter', (response: ServerResponse) => response.end(CONTENT.subarray(1)), 'damaged'],
    ['has another content', (response: ServerResponse) => response.end(Buffer.alloc(CONTENT.length)), 'damaged'],
    ['is missing', (response: ServerResponse) => response.writeHead(404).end(), 'network'],
    ['is elsewhere', (response: ServerResponse) => response.writeHead(302, { location: '/other' }).end(), 'network'],
    ['breaks off', (response: ServerResponse) => response.write(CONTENT, () => response.destroy()), 'network'],
  ] as const)('of a file that %s is refused', async (_name, sent, kind) => {
    answer = sent;
    await expect(download()).rejects.toMatchObject({ kind });
    expect([existsSync(join(folder, 'next')), asked]).toEqual([false, ['/next']]);
  });

  test('without an end is ended where the announced file would end', async () => {
    const seen: number[] = [];
    answer = (response) => {
      const send = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(1 << 16)));
      };
      response.on('drain', send);
      send();
    };
    await expect(download({ onBytes: (bytes) => seen.push(bytes) })).rejects.toMatchObject({ kind: 'damaged' });
    expect(Math.max(...seen)).toBeLessThanOrEqual(CONTENT.length);
  });

  test('that the server has packed is not unpacked beyond the announced size', async () => {
    const seen: number[] = [];
    const packed = gzipSync(Buffer.alloc(50_000_000));
    answer = (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
    await expect(download({ onBytes: (bytes) => seen.push(bytes) })).rejects.toMatchObject({ kind: 'damaged' });
    expect(Math.max(0, ...seen)).toBeLessThanOrEqual(CONTENT.length);
  });

  describe('whose bytes come slowly', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
    afterEach(() => void vi.useRealTimers());

    /** Sends the file in parts, with a pause after each of them. */
    async function slowly(parts: number, pauseMs: number): Promise<void> {
      let body: ReadableStreamDefaultController<Uint8Array>;
      let arrived = Promise.withResolvers<void>();
      const server = { isLeft: false };
      const running = download({
        get: async (_address, signal) => {
          const stream = new ReadableStream<Uint8Array>({ start: (controller) => void (body = controller) });
          signal.addEventListener('abort', () => {
            server.isLeft = true;
            body.error(new Error('aborted'));
          });
          return new Response(stream);
        },
        patienceMs: 1000,
        longestMs: 10_000,
        onBytes: () => arrived.resolve(),
      });
      running.catch(() => undefined);
      const length = Math.ceil(CONTENT.length / parts);
      for (let start = 0; start < CONTENT.length && !server.isLeft; start += length) {
        arrived = Promise.withResolvers<void>();
        body!.enqueue(CONTENT.subarray(start, start + length));
        await arrived.promise;
        vi.advanceTimersByTime(pauseMs);
      }
      if (!server.isLeft) body!.close();
      await running;
    }

    test('goes on', async () => {
      await slowly(10, 900);
      expect(readFileSync(join(folder, 'next')).equals(CONTENT)).toBe(true);
    });

    test('ends after a silence', async () => {
      await expect(slowly(2, 1100)).rejects.toMatchObject({ kind: 'network' });
    });

    test('ends after the longest time, although they still come', async () => {
      await expect(slowly(20, 900)).rejects.toMatchObject({ kind: 'network' });
      expect(existsSync(join(folder, 'next'))).toBe(false);
    });
  });

  test('from a server that falls silent fails', async () => {
    answer = (response) => void response.write('the');
    await expect(download({ patienceMs: 50 })).rejects.toMatchObject({ kind: 'network' });
    answer = () => undefined;
    await expect(download({ patienceMs: 50 })).rejects.toMatchObject({ kind: 'network' });
    expect(existsSync(join(folder, 'next'))).toBe(false);
  });

  test('ends when it is no longer wanted', async () => {
    const abort = new AbortController();
    answer = (response) => void response.write('the');
    await expect(download({ signal: abort.signal, onBytes: () => abort.abort() })).rejects.toMatchObject({
      kind: 'network',
    });
    expect(existsSync(join(folder, 'next'))).toBe(false);
  });

  test('overwrites nothing', async () => {
    writeFileSync(join(folder, 'next'), 'mine');
    await expect(download()).rejects.toMatchObject({ kind: 'install' });
    expect(readFileSync(join(folder, 'next'), 'utf8')).toBe('mine');
  });
});
