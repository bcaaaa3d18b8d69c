import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { PackageTree } from '../tree.ts';
import { systemVersion, type Compression, type Metadata } from './metadata.ts';
import { runTool } from './run.ts';

/** Adds the control files to a tree, builds the package with dpkg-deb, and removes them again. */
export function writeDeb(
  tree: PackageTree,
  file: string,
  architecture: string,
  metadata: Metadata,
  { epoch, level }: Compression,
): void {
  const { configuration, scripts } = metadata;
  const kibibytes = tree
    .paths()
    .reduce((sum, path) => sum + Math.ceil(lstatSync(join(tree.folder, path)).size / 1024), 0);
  tree.write('DEBIAN/control', controlFile(metadata, architecture, kibibytes));
  if (configuration.length > 0) tree.write('DEBIAN/conffiles', configuration.map((path) => `${path}\n`).join(''));
  for (const script of readdirSync(scripts.debian)) {
    tree.copy(join(scripts.debian, script), join('DEBIAN', script), 0o755);
  }
  try {
    const words = ['--root-owner-group', '-Zxz', `-z${level}`, '--threads-max=1', '--build', tree.folder, file];
    runTool('dpkg-deb', words, { SOURCE_DATE_EPOCH: String(epoch) });
  } finally {
    rmSync(join(tree.folder, 'DEBIAN'), { recursive: true });
  }
}

function controlFile(metadata: Metadata, architecture: string, kibibytes: number): string {
  const { name, version, maintainer, homepage, needs, summary, description } = metadata;
  return [
    `Package: ${name}`,
    `Version: ${systemVersion(version)}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${maintainer}`,
    `Installed-Size: ${kibibytes}`,
    `Depends: ${needs.debian.join(', ')}`,
    'Section: utils',
    'Priority: optional',
    `Homepage: ${homepage}`,
    `Description: ${summary}`,
    ...description.split('\n').map((line) => ` ${line}`),
    '',
  ].join('\n');
}
