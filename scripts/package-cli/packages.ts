import { packagedPage } from './packaged-page.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { debianChangelog, debianCopyright } from '../package/debian-documents.ts';
import { commandLine } from './command-model.ts';
import { commonMetadata, systemVersion } from './formats/metadata.ts';
import { manualPages, servicePage } from './manual/pages.ts';
import { addProgram, type ProgramSources } from './program-folder.ts';
import { bashCompletion } from './shell/bash.ts';
import { completionTable } from './shell/completion-table.ts';
import { fishCompletion } from './shell/fish.ts';
import { zshCompletion } from './shell/zsh.ts';
import type { PackageTree } from './tree.ts';

/** The systems' rules for places differ in few points. */
export type Layout = 'archive' | 'debian' | 'rpm';

export interface Sources extends ProgramSources {
  /** Seconds since 1970: the time of every file, and the date of the manual. */
  readonly epoch: number;
  /** Of xz, from 0 to 9: tests need no small packages. */
  readonly level: number;
}

const ZSH: Readonly<Record<Layout, string>> = {
  archive: 'share/zsh/site-functions',
  debian: 'share/zsh/vendor-completions',
  rpm: 'share/zsh/site-functions',
};

/** Where the units of `deploy/systemd` expect the program. An archive is unpacked there. */
const ARCHIVE_PREFIX = '/opt/holdfast';

/**
 * Adds everything but the service's own files.
 *
 * @param prefix the folder of `bin`, `lib` and `share` in the tree: `usr`, or nothing in an archive
 */
export function addCommandLine(tree: PackageTree, prefix: string, layout: Layout, sources: Sources): void {
  const { root, version, epoch } = sources;
  const at = (path: string): string => join(prefix, path);
  const program = commandLine();
  const table = completionTable(program);
  addProgram(tree, at('lib/holdfast'), sources);
  tree.link('../lib/holdfast/bin/holdfast', at('bin/holdfast'));
  for (const [name, page] of manualPages(program, { version, date: dayOf(epoch) }))
    addZipped(tree, at(`share/man/man1/${name}`), page);
  tree.write(at('share/bash-completion/completions/holdfast'), bashCompletion(table));
  tree.write(at(`${ZSH[layout]}/_holdfast`), zshCompletion(table));
  tree.write(at('share/fish/vendor_completions.d/holdfast.fish'), fishCompletion(table));
  for (const unit of readdirSync(join(root, 'deploy/systemd/user'))) {
    tree.write(at(`lib/systemd/user/${unit}`), unitText(root, `user/${unit}`, layout));
  }
  if (layout !== 'archive')
    tree.copy(join(root, 'deploy/systemd/person-timers'), at('lib/holdfast/person-timers'), 0o755);
  addDocuments(tree, at('share/doc/holdfast-cli'), ['docs/schedules.md', 'docs/destinations.md'], layout, sources);
}

/** Adds the files of the service; the program is in the other package. */
export function addService(tree: PackageTree, prefix: string, layout: Layout, sources: Sources): void {
  const { root, version, epoch } = sources;
  const at = (path: string): string => join(prefix, path);
  tree.write(at('bin/holdfast-service'), SERVICE_LAUNCHER, 0o755);
  addZipped(tree, at('share/man/man8/holdfast-service.8'), servicePage({ version, date: dayOf(epoch) }));
  tree.write(at('lib/systemd/system/holdfast.service'), unitText(root, 'holdfast.service', layout));
  const config = layout === 'archive' ? 'share/holdfast/service.example.json' : '../etc/holdfast/service.json';
  tree.copy(join(root, 'deploy/systemd/service.example.json'), at(config));
  const documents = at('share/doc/holdfast-service');
  const texts = ['docs/self-hosting.md', 'docs/accounts.md', 'docs/webhooks.md', 'docs/security.md'];
  addDocuments(tree, documents, texts, layout, sources);
  for (const folder of ['caddy', 'nginx', 'prometheus', 'grafana']) {
    tree.copyFolder(join(root, 'deploy', folder), join(documents, 'examples', folder));
  }
}

/** `holdfast-service check` is `holdfast service check`. */
const SERVICE_LAUNCHER = `#!/bin/sh
# Runs a command of the service with the holdfast beside this file.
self=$(readlink -f "$0")
exec "$(dirname "$self")/holdfast" service "$@"
`;

/** `2026-11-23` */
function dayOf(epoch: number): string {
  return new Date(epoch * 1000).toISOString().slice(0, 10);
}

function unitText(root: string, unit: string, layout: Layout): string {
  const text = readFileSync(join(root, 'deploy/systemd', unit), 'utf8');
  if (layout === 'archive') return text;
  return text
    .replaceAll(`${ARCHIVE_PREFIX}/bin/`, '/usr/bin/')
    .replaceAll(`file://${ARCHIVE_PREFIX}/docs/`, 'file:///usr/share/doc/holdfast-service/');
}

function addDocuments(
  tree: PackageTree,
  folder: string,
  documents: readonly string[],
  layout: Layout,
  { root, version, epoch }: Sources,
): void {
  const pages = documents.map((document) => basename(document));
  for (const document of documents) {
    const text = readFileSync(join(root, document), 'utf8');
    tree.write(join(folder, basename(document)), layout === 'archive' ? text : packagedPage(text, pages));
  }
  addZipped(tree, join(folder, 'CHANGELOG.md'), readFileSync(join(root, 'CHANGELOG.md'), 'utf8'));
  if (layout !== 'debian') return tree.copy(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  // The names that Debian's policy demands.
  const own = { ...commonMetadata(root, version), name: basename(folder), version: systemVersion(version), epoch };
  tree.write(join(folder, 'copyright'), debianCopyright(own, '/usr/lib/holdfast/THIRD-PARTY-LICENCES.txt'));
  addZipped(tree, join(folder, 'changelog'), debianChangelog(own));
}

function addZipped(tree: PackageTree, path: string, text: string): void {
  tree.write(`${path}.gz`, gzipSync(text, { level: 9 }));
}
