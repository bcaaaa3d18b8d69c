import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { PackageTree } from '../tree.ts';
import { systemVersion, type Compression, type Metadata } from './metadata.ts';
import { runTool } from './run.ts';

const SCRIPTS = ['pre', 'post', 'preun', 'postun'];

/** Builds the package with rpmbuild, from a tree that is complete. */
export function writeRpm(
  tree: PackageTree,
  file: string,
  architecture: string,
  metadata: Metadata,
  { epoch, level }: Compression,
): void {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-rpm-'));
  try {
    const spec = join(folder, 'package.spec');
    writeFileSync(spec, specFile(tree, metadata, epoch));
    const settings = {
      _topdir: folder,
      _rpmdir: join(folder, 'out'),
      _rpmfilename: 'package.rpm',
      _buildhost: 'reproducible',
      _binary_payload: `w${level}.xzdio`,
      use_source_date_epoch_as_buildtime: '1',
      clamp_mtime_to_source_date_epoch: '1',
    };
    const defines = Object.entries(settings).flatMap(([name, value]) => ['--define', `${name} ${value}`]);
    const words = [
      '-bb',
      '--quiet',
      '--noclean',
      '--nodeps',
      '--buildroot',
      join(folder, 'root'),
      '--target',
      architecture,
    ];
    runTool('rpmbuild', [...words, ...defines, '--define', `holdfast_tree ${tree.folder}`, spec], {
      SOURCE_DATE_EPOCH: String(epoch),
    });
    rmSync(file, { force: true });
    moveFile(join(folder, 'out/package.rpm'), file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The file may go to another file system. */
function moveFile(from: string, to: string): void {
  const beside = `${to}.part`;
  writeFileSync(beside, readFileSync(from));
  renameSync(beside, to);
}

function specFile(tree: PackageTree, metadata: Metadata, epoch: number): string {
  const { name, version, summary, description, licence, homepage, needs, scripts } = metadata;
  // Nothing is compiled, stripped or rewritten: the binaries are those of the lock.
  return [
    '%global _build_id_links none',
    '%global __os_install_post %{nil}',
    '%global debug_package %{nil}',
    `Name: ${name}`,
    `Version: ${systemVersion(version)}`,
    'Release: 1',
    `Summary: ${summary}`,
    `License: ${licence}`,
    `URL: ${homepage}`,
    'AutoReqProv: no',
    ...needs.rpm.map((need) => `Requires: ${need}`),
    '%description',
    description,
    '%install',
    'mkdir -p %{buildroot}',
    'cp -a %{holdfast_tree}/. %{buildroot}/',
    ...SCRIPTS.flatMap((script) => scriptOf(scripts.rpm, script)),
    '%files',
    '%defattr(-,root,root,0755)',
    ...filesOf(tree, metadata),
    '%changelog',
    `* ${rpmDate(epoch)} ${metadata.maintainer} - ${systemVersion(version)}-1`,
    '- See CHANGELOG.md.gz in the documentation.',
    '',
  ].join('\n');
}

function scriptOf(folder: string, script: string): readonly string[] {
  const file = join(folder, script);
  return existsSync(file) ? [`%${script}`, readFileSync(file, 'utf8').trim().replaceAll('%', '%%')] : [];
}

/** The package's own folders, so that they are removed with it, and every file. */
function filesOf(tree: PackageTree, { configuration }: Metadata): readonly string[] {
  const paths = tree.paths().map((path) => `/${path}`);
  const folders = new Set(
    paths.flatMap((path) => foldersAbove(path)).filter((folder) => /\/(?:lib|doc|etc)\/holdfast/.test(folder)),
  );
  const own = (path: string): string =>
    path.startsWith('/etc/') ? '%attr(0640,root,holdfast) %config(noreplace) ' : '';
  return [
    ...[...folders].sort().map((folder) => `%dir "${folder}"`),
    ...(configuration.length > 0 ? ['%dir %attr(0700,holdfast,holdfast) /var/lib/holdfast'] : []),
    ...paths.map((path) => `${own(path)}"${path}"`),
  ];
}

function foldersAbove(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === '/' ? [] : [folder, ...foldersAbove(folder)];
}

/** `Mon Nov 23 2026` */
function rpmDate(epoch: number): string {
  const [day = '', date = '', month = '', year = ''] = new Date(epoch * 1000).toUTCString().replace(',', '').split(' ');
  return `${day} ${month} ${date} ${year}`;
}
