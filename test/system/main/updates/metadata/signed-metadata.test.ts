import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  fetchSignedMetadata,
  LONGEST_METADATA,
  type MetadataSource,
} from '../../../../../src/main/updates/metadata/signed-metadata.ts';
import { readMetadata } from '../../../../../src/main/updates/metadata/update-metadata.ts';
import { getWithFetch } from '../get-with-fetch.ts';

const OURS = generateKeyPairSync('ed25519');
const OTHER = generateKeyPairSync('ed25519');
const METADATA = `version: 1.2.3\nfiles:\n  - url: Holdfast-1.2.3-x86_64.AppImage\n    sha512: ${'A'.repeat(86)}==\n    size: 100\nreleaseDate: '2026-11-23'\n`;

/** Each of its lists contains the one before ten times: 10^60 entries. */
const BOMB = Array.from({ length: 60 }, (_, level) => {
  const entries = Array<string>(10).fill(level === 0 ? 'x' : `*a${level - 1}`);
  return `a${level}: &a${level} [${entries.join()}]\n`;
}).join('');

describe('metadata from a server that may be anybody’s', () => {
  let server: Server;
  let base: URL;
  let asked: string[];
  /** By the ends of their paths. */
  let answers: { yml: (response: ServerResponse) => void; sig: (response: ServerResponse) => void };

  beforeEach(async () => {
    asked = [];
    publish(METADATA);
    server = createServer(({ url = '' }, response) => {
      asked.push(url);
      if (url.endsWith('.sig')) answers.sig(response);
      else answers.yml(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    base = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/updates/`);
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  function publish(text: string, key: KeyObject = OURS.privateKey): void {
    const signature = sign(null, Buffer.from(text), key);
    answers = { yml: (response) => response.end(text), sig: (response) => response.end(signature) };
  }

  function read(changes: Partial<MetadataSource> = {}): Promise<unknown> {
    const keys = [OURS.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')];
    return fetchSignedMetadata({
      get: getWithFetch,
      base,
      name: 'latest-linux.yml',
      keys,
      patienceMs: 60_000,
      ...changes,
    });
  }

  test('are those that were signed', async () => {
    expect(await read()).toMatchObject({ version: '1.2.3', files: [{ size: 100 }] });
    expect(asked).toEqual(['/updates/latest-linux.yml', '/updates/latest-linux.yml.sig']);
  });

  test('are refused with the signature of somebody else, of others, or none', async () => {
    publish(METADATA, OTHER.privateKey);
    await expect(read()).rejects.toMatchObject({ kind: 'signature' });
    publish(METADATA);
    answers.yml = (response) => response.end(METADATA.replace('1.2.3', '1.2.4'));
    await expect(read()).rejects.toMatchObject({ kind: 'signature' });
    answers.sig = (response) => response.end();
    await expect(read()).rejects.toMatchObject({ kind: 'signature' });
    answers.sig = (response) => response.writeHead(404).end('none');
    await expect(read()).rejects.toMatchObject({ kind: 'network' });
  });

  test('are not parsed before their signature was verified', async () => {
    publish('{ [', OTHER.privateKey);
    await expect(read()).rejects.toMatchObject({ kind: 'signature' });
    publish('{ [');
    await expect(read()).rejects.toMatchObject({ kind: 'metadata' });
  });

  test('may refer to themselves without end, and are refused', async () => {
    publish(`${BOMB}version: *a59\nfiles: *a59\nreleaseDate: *a59\nreleaseNotes: *a59\n`);
    const parsed = await read();
    expect(() => readMetadata(parsed, { platform: 'linux', arch: 'x64' })).toThrow('metadata');
  });

  test('create no objects of their own kind', async () => {
    publish('a: !!js/function "function () { process.exit(1) }"\n');
    await expect(read()).rejects.toMatchObject({ kind: 'metadata' });
    publish(`__proto__: { polluted: true }\n${METADATA}`);
    await read();
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test.each([
    ['without an end', endlessly],
    ['of more than is read', (response: ServerResponse) => response.end('#'.repeat(LONGEST_METADATA + 1))],
    [
      'that are packed',
      (response: ServerResponse) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000, '#'))),
    ],
  ])('%s are not read to their end', async (_name, answer) => {
    answers.yml = answer;
    await expect(read()).rejects.toMatchObject({ kind: 'metadata' });
    expect(asked).toEqual(['/updates/latest-linux.yml']);
    answers = { yml: (response) => response.end(METADATA), sig: answer };
    await expect(read()).rejects.toMatchObject({ kind: 'metadata' });
  });

  test('up to the longest are read', async () => {
    publish(`${METADATA}${'#'.repeat(LONGEST_METADATA - METADATA.length)}`);
    expect(await read()).toMatchObject({ version: '1.2.3' });
  });

  test.each([['yml'], ['sig']] as const)('elsewhere are not fetched: %s', async (which) => {
    answers[which] = (response) => response.writeHead(302, { location: `/elsewhere.${which}` }).end();
    await expect(read()).rejects.toMatchObject({ kind: 'network' });
    expect(asked.filter((url) => url.startsWith('/elsewhere'))).toEqual([]);
  });

  test.each([
    ['answers nothing', () => undefined],
    ['falls silent', (response: ServerResponse) => void response.write('version')],
    ['sends a byte from time to time', drip],
    ['breaks off', (response: ServerResponse) => response.write('version', () => response.destroy())],
    ['has an error', (response: ServerResponse) => response.writeHead(500).end(METADATA)],
  ])('of a server that %s fail', async (_name, answer) => {
    answers.yml = answer;
    await expect(read({ patienceMs: 200 })).rejects.toMatchObject({ kind: 'network' });
  });

  test('end the connection that they do not need any more', async () => {
    const closed = Promise.withResolvers<void>();
    answers.yml = (response) => {
      response.on('close', () => closed.resolve());
      response.writeHead(404).write('still');
    };
    await expect(read()).rejects.toMatchObject({ kind: 'network' });
    await closed.promise;
  });
});

/** Sends a file without a length, of which nobody should read so much. */
function endlessly(response: ServerResponse): void {
  let parts = 500;
  const send = (): void => {
    while (!response.destroyed && parts-- > 0) if (!response.write(Buffer.alloc(1 << 16, '#'))) return;
    response.end();
  };
  response.on('drain', send);
  send();
}

/** Sends a byte each time somebody could take it for an end. */
function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write('#'), 20);
  response.on('close', () => clearInterval(timer));
}
