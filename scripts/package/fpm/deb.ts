import { createHash } from 'node:crypto';
import { copyFileSync, chmodSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { extendedDescription } from './extended-description.ts';
import type { PackageRequest } from './options.ts';
import { pathsBelow, setTimes, sizeOf, stageTree } from './staged-tree.ts';
import { run } from '../run.ts';

const COMPRESSIONS: Readonly<Record<string, string>> = { gz: 'gzip', xz: 'xz', zst: 'zstd', none: 'none' };

const MODES = [
  ['.', 0o755],
  ['control', 0o644],
  ['md5sums', 0o644],
  ['postinst', 0o755],
  ['postrm', 0o755],
] as const;

/** Builds a package of Debian with dpkg-deb. @param folder an empty one */
export function buildDeb(request: PackageRequest, folder: string): void {
  const root = join(folder, 'root');
  mkdirSync(root);
  stageTree(root, request.mappings);
  const control = join(root, 'DEBIAN');
  const [sums, size] = [checksums(root), sizeOf(root)];
  mkdirSync(control);
  writeFileSync(join(control, 'control'), controlText(request, Math.ceil(size / 1024)));
  writeFileSync(join(control, 'md5sums'), sums);
  copyFileSync(request.afterInstall, join(control, 'postinst'));
  copyFileSync(request.afterRemove, join(control, 'postrm'));
  // Whatever the umask of the build is.
  for (const [name, mode] of MODES) chmodSync(join(control, name), mode);
  setTimes(root, process.env['SOURCE_DATE_EPOCH']);
  run('dpkg-deb', ['--root-owner-group', ...compressionWords(request), '--build', root, request.file]);
}

/** Tests want a package soon, not a small one. */
function compressionWords({ compression = 'xz' }: PackageRequest): readonly string[] {
  return process.env['HOLDFAST_PACKAGE_FAST'] === '1' ? ['-Zgzip', '-z1'] : [`-Z${COMPRESSIONS[compression] ?? 'xz'}`];
}

/** For `dpkg --verify`. */
function checksums(root: string): string {
  return pathsBelow(root)
    .filter((path) => lstatSync(path).isFile())
    .map((path) => `${createHash('md5').update(readFileSync(path)).digest('hex')}  ${relative(root, path)}\n`)
    .join('');
}

/** @see https://www.debian.org/doc/debian-policy/ch-controlfields.html */
function controlText(request: PackageRequest, kibibytes: number): string {
  const [summary = '', ...paragraphs] = request.description.split('\n').flatMap((line) => line.trim() || []);
  const fields: readonly (readonly [string, string])[] = [
    ['Package', request.name],
    ['Version', request.version],
    ['Architecture', request.architecture],
    ['Maintainer', request.maintainer],
    ['Installed-Size', String(kibibytes)],
    ['Depends', request.depends.join(', ')],
    ['Recommends', request.recommends.join(', ')],
    ['Section', request.category],
    ['Priority', request.priority],
    ['Homepage', request.url],
    ['Description', [summary, ...extendedDescription(paragraphs)].join('\n')],
  ];
  return fields
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('');
}
