import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Three numbers, and the name of a trial version if it is one. */
const VERSION = /^(\d{1,5})\.(\d{1,5})\.(\d{1,5})(?:-([a-z]+)\.(\d{1,5}))?$/;

/** @throws Error if it is not a version such as 1.2.3 or 1.2.3-beta.1 */
export function parsedVersion(version: string): readonly (number | string)[] {
  const [, major, minor, patch, name, count] = VERSION.exec(version) ?? [];
  if (major === undefined) throw new Error(`"${version}" is not a version such as 1.2.3 or 1.2.3-beta.1`);
  // A trial version is older than the version that it tries out.
  return [Number(major), Number(minor), Number(patch), name === undefined ? 1 : 0, name ?? '', Number(count ?? 0)];
}

/** Returns whether a version is newer than another. */
export function isNewer(version: string, other: string): boolean {
  const [one, two] = [parsedVersion(version), parsedVersion(other)];
  const index = one.findIndex((part, at) => part !== two[at]);
  return index >= 0 && one[index]! > two[index]!;
}

/** Sets the version wherever it is written, and gives the newest section of the changelog its name and date. */
export function setVersion(root: string, version: string, date: string): void {
  parsedVersion(version);
  change(join(root, 'package.json'), /("version": ")[^"]+(")/, `$1${version}$2`);
  const lock = join(root, 'package-lock.json');
  const { packages, ...rest } = JSON.parse(readFileSync(lock, 'utf8')) as LockFile;
  const own = { ...packages[''], version };
  writeFileSync(lock, `${JSON.stringify({ ...rest, version, packages: { ...packages, '': own } }, undefined, 2)}\n`);
  change(join(root, 'src/base/version.ts'), /(VERSION = ')[^']+(')/, `$1${version}$2`);
  change(join(root, 'CHANGELOG.md'), /^## Unreleased$/m, `## Unreleased\n\n## ${version} (${date})`);
}

interface LockFile {
  readonly version: string;
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}

function change(file: string, place: RegExp, text: string): void {
  const before = readFileSync(file, 'utf8');
  if (!place.test(before)) throw new Error(`${file} does not contain ${place.source}`);
  writeFileSync(file, before.replace(place, text));
}
