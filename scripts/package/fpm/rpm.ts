import { lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PackageRequest } from './options.ts';
import { pathsBelow, setTimes, stageTree } from './staged-tree.ts';
import { run } from '../run.ts';

const ARCHITECTURES: Readonly<Record<string, string>> = { amd64: 'x86_64', arm64: 'aarch64' };

/** Builds a package of Fedora and openSUSE with rpmbuild. @param folder an empty one */
export function buildRpm(request: PackageRequest, folder: string): void {
  const root = join(folder, 'root');
  mkdirSync(root);
  stageTree(root, request.mappings);
  setTimes(root, process.env['SOURCE_DATE_EPOCH']);
  const spec = join(folder, 'package.spec');
  writeFileSync(spec, specText(request, root));
  const architecture = ARCHITECTURES[request.architecture] ?? request.architecture;
  const payload = process.env['HOLDFAST_PACKAGE_FAST'] === '1' ? 'w1.zstdio' : 'w15.zstdio';
  const defines = [
    `_topdir ${folder}`,
    `_rpmdir ${join(folder, 'out')}`,
    `_rpmfilename package.rpm`,
    `_binary_payload ${payload}`,
    '_buildhost localhost',
    'use_source_date_epoch_as_buildtime 1',
    'clamp_mtime_to_source_date_epoch 1',
  ];
  run('rpmbuild', [
    '-bb',
    '--quiet',
    '--noclean',
    '--nodeps',
    '--buildroot',
    root,
    '--target',
    architecture,
    ...defines.flatMap((define) => ['--define', define]),
    spec,
  ]);
  renameSync(join(folder, 'out/package.rpm'), request.file);
}

/** @see https://rpm.org/documentation/ */
function specText(request: PackageRequest, root: string): string {
  const lines = request.description.trim().split('\n');
  const script = (file: string): string => plain(readFileSync(file, 'utf8')).replace(/^#!.*\n/, '');
  return [
    // Nothing is stripped, compiled or repacked.
    '%global _build_id_links none',
    '%global __os_install_post %{nil}',
    '%global debug_package %{nil}',
    `Name: ${request.name}`,
    `Version: ${request.version}`,
    'Release: 1',
    `Summary: ${plain(request.summary ?? lines[0] ?? request.name)}`,
    `License: ${request.licence}`,
    `URL: ${request.url}`,
    `Vendor: ${request.vendor}`,
    `Packager: ${request.maintainer}`,
    'AutoReqProv: no',
    ...request.depends.map((dependency) => `Requires: ${dependency}`),
    '%description',
    ...lines.map(plain),
    `%post -p /bin/sh\n${script(request.afterInstall)}`,
    `%postun -p /bin/sh\n${script(request.afterRemove)}`,
    '%files',
    '%defattr(-,root,root,-)',
    ...ownPaths(request, root),
    '',
  ].join('\n');
}

/** A single percent sign would begin a macro. */
function plain(text: string): string {
  return text.replaceAll('%', '%%');
}

/** Every file, and the folders that are removed with the package: those that it packs as a whole, with all folders in them. */
function ownPaths({ mappings }: PackageRequest, root: string): readonly string[] {
  const packed = mappings.filter(({ from }) => from.endsWith('/')).map(({ to }) => to);
  const isOwn = (path: string): boolean => packed.some((folder) => path === folder || path.startsWith(`${folder}/`));
  return pathsBelow(root).flatMap((path) => {
    const installed = path.slice(root.length);
    if (!lstatSync(path).isDirectory()) return [`${modeOf(installed)}"${plain(installed)}"`];
    return isOwn(installed) ? [`%dir "${plain(installed)}"`] : [];
  });
}

/** The script of the installation decides whether the helper of the sandbox runs as root: that is no damage. */
function modeOf(installed: string): string {
  return installed.endsWith('/chrome-sandbox') ? '%verify(not mode) ' : '';
}
