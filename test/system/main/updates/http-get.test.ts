import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ELECTRON, testEnvironment } from '../../../app/electron-fixture.ts';
import { Screen } from '../../../app/screen.ts';

const PROGRAM = join(import.meta.dirname, 'http-get-program.ts');
/** As the program expects it. */
const CONTENT = 'the next version';

describe.skipIf(!ELECTRON)('a request of Electron', () => {
  let screen: Screen;
  let folder: string;
  let server: Server;
  let answer: (response: ServerResponse) => void;
  let asked: string[];

  beforeAll(async () => {
    screen = await Screen.start();
  });
  afterAll(() => screen?.stop());
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-get-'));
    asked = [];
    server = createServer(({ url = '' }, response) => {
      asked.push(url);
      answer(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Downloads a file in Electron. @returns how each download ended */
  async function download(times: number, patience = PATIENT): Promise<readonly string[]> {
    const downloads = join(folder, 'downloads');
    mkdirSync(downloads);
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/next`;
    const words = ['--no-sandbox', '--disable-gpu', PROGRAM, '--', downloads, address, String(times), String(patience)];
    const electron = spawn('setpriv', ['--pdeathsig', 'KILL', ELECTRON!, ...words], {
      env: testEnvironment(folder, screen.display, 'en-GB'),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [output, errors, [status]] = await Promise.all([
      text(electron.stdout),
      text(electron.stderr),
      once(electron, 'exit'),
    ]);
    expect([status, status === 0 ? '' : errors]).toEqual([0, '']);
    expect(readdirSync(downloads)).toEqual([]);
    return output.trim().split('\n');
  }

  test('is answered', async () => {
    answer = (response) => response.end(CONTENT);
    expect(await download(2)).toEqual(['downloaded', 'downloaded']);
    expect(asked).toEqual(['/next', '/next']);
  });

  test('ends a body without an end, however its bytes arrive', async () => {
    answer = endlessly;
    expect(new Set(await download(100))).toEqual(new Set(['damaged']));
    expect(asked).toHaveLength(100);
  });

  test.each([
    ['leads elsewhere', (response: ServerResponse) => response.writeHead(302, { location: '/other' }).end(), 'network'],
    ['has an unusual status', (response: ServerResponse) => response.writeHead(999).end(CONTENT), 'network'],
    ['has no body', (response: ServerResponse) => response.writeHead(204).end(), 'damaged'],
    ['asks for a password', (response: ServerResponse) => response.writeHead(401, AUTHENTICATE).end(), 'network'],
    ['breaks off', (response: ServerResponse) => response.write('the', () => response.destroy()), 'network'],
    [
      'is packed and larger than announced',
      (response: ServerResponse) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(PACKED),
      'damaged',
    ],
  ])('fails when its answer %s', async (_name, sent, kind) => {
    answer = sent;
    expect(await download(1)).toEqual([kind]);
    expect(new Set(asked)).toEqual(new Set(['/next']));
  });

  test.each([
    ['falls silent', (response: ServerResponse) => void response.write('the')],
    ['never comes', () => undefined],
  ])('fails when its answer %s for longer than the patience', async (_name, sent) => {
    answer = sent;
    expect(await download(1, 1000)).toEqual(['network']);
    // A busy machine may run out of patience before it has asked.
    expect(asked.filter((path) => path !== '/next')).toEqual([]);
  });
});

/** Milliseconds without a byte that a busy machine does not reach. */
const PATIENT = 90_000;

const PACKED = gzipSync(Buffer.alloc(50_000_000));

const AUTHENTICATE = { 'www-authenticate': 'Basic realm="updates"' };

/** Sends a file without a length, for as long as somebody reads. */
function endlessly(response: ServerResponse): void {
  response.writeHead(200);
  const send = (): void => {
    while (!response.destroyed && response.write(Buffer.alloc(1 << 16)));
  };
  response.on('drain', send);
  send();
}
