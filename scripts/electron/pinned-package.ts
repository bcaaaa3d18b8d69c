import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** A package of the npm registry, by its hash. */
export interface PinnedPackage {
  readonly name: string;
  readonly version: string;
  /** `sha512-…` */
  readonly integrity: string;
}

/**
 * Downloads a package with npm from its configured registry, and unpacks it.
 *
 * @param folder an empty one
 * @returns the folder with the files of the package, in that one
 * @throws Error if npm fails or the package does not have the pinned hash
 */
export async function unpackPinned({ name, version, integrity }: PinnedPackage, folder: string): Promise<string> {
  run('npm', ['pack', `${name}@${version}`, '--ignore-scripts', '--silent', '--pack-destination', folder]);
  const archive = join(folder, `${name.replace(/^@/, '').replace('/', '-')}-${version}.tgz`);
  const hash = createHash('sha512');
  await pipeline(createReadStream(archive), hash);
  const found = `sha512-${hash.digest('base64')}`;
  if (found !== integrity) throw new Error(`${name} ${version} does not have its pinned hash: ${found}`);
  run('tar', ['-xzf', archive, '-C', folder]);
  return join(folder, 'package');
}

function run(program: string, words: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, words, {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${program} ${words[0]}: ${error?.message ?? stderr.trim()}`);
}
