import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { officialElectron } from '../../../scripts/electron/official.ts';

const SCRIPT = join(import.meta.dirname, '../../../scripts/electron.ts');

/** A proxy that records which servers it is asked for. Each of them answers that it is there, and has nothing. */
let proxy: Server;
let asked: string[];

beforeEach(async () => {
  asked = [];
  proxy = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      const [line = ''] = String(bytes).split('\r\n');
      if (!line.startsWith('CONNECT')) return void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      asked.push(line);
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
});
afterEach(() => void proxy.close());

const home = mkdtempSync(join(tmpdir(), 'holdfast-proxy-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function run(environment: NodeJS.ProcessEnv): Promise<string> {
  const { port } = proxy.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}`;
  const own = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value ?? address]));
  const child = spawn(process.execPath, [SCRIPT], {
    env: { PATH: process.env['PATH'], HOME: home, ...own },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (text) => (output += String(text)));
  await once(child, 'close');
  return output;
}

describe.skipIf(officialElectron() !== undefined)('the download of Electron', () => {
  test.each(['HTTPS_PROXY', 'https_proxy'])('is asked for through %s', async (name) => {
    const output = await run({ [name]: undefined, ELECTRON_MIRROR: 'https://electron.invalid/' });
    expect(asked).toEqual(['CONNECT electron.invalid:443 HTTP/1.1']);
    expect(output).toContain('HOLDFAST_ELECTRON=registry-copy');
  });

  test('is not where NO_PROXY says so', async () => {
    await run({ HTTPS_PROXY: undefined, NO_PROXY: 'electron.invalid', ELECTRON_MIRROR: 'https://electron.invalid/' });
    expect(asked).toEqual([]);
  });

  test('is made through the proxy, too', async () => {
    const output = await run({ HTTP_PROXY: undefined, ELECTRON_MIRROR: 'http://electron.invalid/' });
    // Whether it is there, and the file.
    expect(asked).toEqual(Array.from({ length: 2 }, () => 'CONNECT electron.invalid:80 HTTP/1.1'));
    expect(output).toContain('Downloading Electron');
  });
});
