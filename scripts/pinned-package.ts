import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { npmCommand } from './npm.ts';
import { run } from './package/run.ts';

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
  const [npm, ...words] = npmCommand();
  const options = ['--ignore-scripts', '--prefer-offline', '--loglevel=error', '--pack-destination', folder];
  run(npm, [...words, 'pack', `${name}@${version}`, ...options]);
  const archive = join(folder, `${name.replace(/^@/, '').replace('/', '-')}-${version}.tgz`);
  const hash = createHash('sha512');
  await pipeline(createReadStream(archive), hash);
  const found = `sha512-${hash.digest('base64')}`;
  if (found !== integrity) throw new Error(`${name} ${version} does not have its pinned hash: ${found}`);
  run('tar', ['-xzf', archive, '-C', folder]);
  return join(folder, 'package');
}
