import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { lockedNode } from '../../../scripts/locked-node.mjs';
import {
  archiveNames,
  expectOfficialNode,
  hashesIn,
  OFFICIAL_BUILDS,
} from '../../../scripts/package-cli/official-node.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SYSTEMS = ['linux-arm64', 'linux-x64'] as const;
const folder = mkdtempSync(join(tmpdir(), 'holdfast-official-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

describe('the Node of a package', () => {
  test.each(SYSTEMS)('is that of the lock on %s', (system) => {
    const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      readonly optionalDependencies: Readonly<Record<string, string>>;
    };
    expect(optionalDependencies[`node-${system}`]).toBe(OFFICIAL_BUILDS[system].version);
  });

  const here = SYSTEMS.find((system) => system === `${process.platform}-${process.arch}`);
  test.skipIf(here === undefined)('is the build of nodejs.org, byte for byte', () => {
    expect(() => expectOfficialNode(lockedNode(ROOT)!, here!)).not.toThrow();
  });

  test('is no other one', () => {
    const file = join(folder, 'node');
    writeFileSync(file, 'something else');
    expect(() => expectOfficialNode(file, 'linux-x64')).toThrow(/is not Node 24\.21\.0 of nodejs\.org for linux-x64/);
  });
});

test('reads the list of hashes as nodejs.org writes it', () => {
  const [first, second] = ['a'.repeat(64), '0123456789abcdef'.repeat(4)];
  const text = `${first}  node-v24.21.0-linux-x64.tar.gz\n${second}  win-x64/node.exe\nno hash  x\n${'g'.repeat(64)}  y\n`;
  expect(Object.fromEntries(hashesIn(text))).toEqual({
    'node-v24.21.0-linux-x64.tar.gz': first,
    'win-x64/node.exe': second,
  });
});

describe('bin/node scripts/official-node.ts', () => {
  const VERSION = '99.1.2';
  const programs = new Map(SYSTEMS.map((system) => [system, `the program for ${system}`]));

  /** Serves what nodejs.org does for a version. @param change is called with the files before they are served */
  async function run(change: (files: Map<string, Buffer>) => void = () => undefined): Promise<Result> {
    const files = new Map<string, Buffer>();
    let list = '';
    for (const [system, text] of programs) {
      const { archive, program } = archiveNames(VERSION, system);
      mkdirSync(dirname(join(folder, program)), { recursive: true });
      writeFileSync(join(folder, program), text);
      const bytes = execFileSync('tar', ['-czf', '-', '-C', folder, dirname(dirname(program))]);
      files.set(`/v${VERSION}/${archive}`, bytes);
      list += `${sha256(bytes)}  ${archive}\n`;
    }
    files.set(`/v${VERSION}/SHASUMS256.txt`, Buffer.from(list));
    change(files);
    const server = createServer(({ url }, response) => {
      const file = files.get(url!);
      response.writeHead(file ? 200 : 404).end(file);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const env = { ...process.env, NODEJS_ORG_MIRROR: `http://127.0.0.1:${port}/`, NO_PROXY: '127.0.0.1' };
    const child = spawn(process.execPath, [join(ROOT, 'scripts/official-node.ts'), VERSION], { env });
    const result = { status: 0, stdout: '', stderr: '' };
    child.stdout.on('data', (text) => (result.stdout += String(text)));
    child.stderr.on('data', (text) => (result.stderr += String(text)));
    [result.status] = (await once(child, 'close')) as [number];
    return result;
  }

  interface Result {
    readonly status: number;
    readonly stdout: string;
    readonly stderr: string;
  }

  test('prints the hashes of a version, and that the Node here is another one', async () => {
    const { status, stdout, stderr } = await run();
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const text of programs.values()) expect(stdout).toContain(`  program: '${sha256(text)}',\n`);
    expect(stdout).toContain(`version: '${VERSION}'`);
    if (process.platform === 'linux') expect(stdout).toContain(`, ${process.version}, is another one.`);
  });

  test('refuses an archive that is not the one of the list', async () => {
    const name = `/v${VERSION}/${archiveNames(VERSION, 'linux-x64').archive}`;
    const { status, stdout, stderr } = await run((files) =>
      files.set(name, Buffer.concat([files.get(name)!, Buffer.alloc(1)])),
    );
    expect(status).toBe(1);
    expect(stderr).toContain('does not have the hash of SHASUMS256.txt');
    expect(stdout).not.toContain("'linux-x64'");
  });

  test('names what it does not find', async () => {
    const { status, stderr } = await run((files) => files.clear());
    expect(status).toBe(1);
    expect(stderr).toMatch(/^The builds of nodejs\.org cannot be compared: http:\S+SHASUMS256\.txt: 404\n$/);
  });
});
