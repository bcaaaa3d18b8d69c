import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { downloadBounded, type BoundedDownload } from '../../../src/main/updates/bounded-download.ts';

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
      fetch,
      address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/next`,
      file: join(folder, 'next'),
      announced: ANNOUNCED,
      signal: new AbortController().signal,
      patienceMs: 60_000,
      onBytes: () => undefined,
      ...changes,
    });
  }

  test('is the announced file, for nobody else to read', async () => {
    const seen: number[] = [];
    await download({ onBytes: (bytes) => seen.push(bytes) });
    expect(readFileSync(join(folder, 'next')).equals(CONTENT)).toBe(true);
    expect(seen.at(-1)).toBe(CONTENT.length);
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
