/**
 * Builds the packages of the CLI and of the service:
 *
 *     npm run package:cli                              an archive, deb and rpm in dist/packages-cli
 *     npm run package:cli -- --only deb --out DIR
 *     npm run package:cli -- --folder DIR              what the archive contains, in a folder
 *
 * They need no compiler: `tar` and `xz`, `dpkg-deb`, `rpmbuild` (Debian's package `rpm`). A format whose tool is missing is named.
 * SOURCE_DATE_EPOCH is the time of the commit unless it is set.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { addArchive, buildPackages, FORMATS } from './package-cli/build.ts';
import type { Sources } from './package-cli/packages.ts';
import { targetOf } from './package-cli/target.ts';

const root = dirname(import.meta.dirname);
const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    out: { type: 'string', default: join(root, 'dist/packages-cli') },
    folder: { type: 'string' },
  },
});

execFileSync(process.execPath, [join(root, 'scripts/build.ts')], { stdio: ['ignore', 'ignore', 'inherit'] });
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
const sources: Sources = {
  root,
  modules: join(root, 'node_modules'),
  version,
  target: targetOf(process.arch),
  level: 6,
  epoch: Number(process.env['SOURCE_DATE_EPOCH'] ?? commitTime()),
};
if (values.folder !== undefined) {
  if (existsSync(values.folder)) throw new Error(`${values.folder} exists`);
  addArchive(resolve(values.folder), sources);
} else {
  const formats = FORMATS.filter((format) => values.only?.includes(format) ?? true);
  const { files, left } = buildPackages(sources, formats, resolve(values.out));
  for (const file of files)
    console.log(`${basename(file).padEnd(48)} ${(statSync(file).size / 1e6).toFixed(1).padStart(6)} MB`);
  for (const reason of left) console.log(`Not built: ${reason}`);
}

function commitTime(): string {
  return execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }).trim();
}
