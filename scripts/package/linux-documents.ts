import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { item, roffText, section } from '../package-cli/manual/roff.ts';
import { PREVIOUS_VERSIONS } from '../../src/main/file-managers/requested-path.ts';

interface Documents {
  readonly root: string;
  /** A folder for the files. */
  readonly parts: string;
  readonly version: string;
  /** `2026-11-28` */
  readonly day: string;
  readonly changelog: string;
}

/** Writes what a package of Linux has beside its program: manual page, licence and changelog, with the names of Debian's policy. Returns fpm's mappings. */
export function linuxDocuments({ root, parts, version, day, changelog }: Documents): readonly string[] {
  const [documents, pages] = [join(parts, 'documents'), join(parts, 'manual')];
  for (const folder of [documents, pages]) mkdirSync(folder);
  copyFileSync(join(root, 'LICENSE'), join(documents, 'copyright'));
  writeFileSync(join(documents, 'changelog.gz'), gzipSync(changelog, { level: 9 }));
  const page = join(pages, 'holdfast-app.1.gz');
  writeFileSync(page, gzipSync(manualPage(version, day), { level: 9 }));
  // A folder is removed with its package, a file's is not.
  return [`${documents}/=/usr/share/doc/holdfast-app`, `${page}=/usr/share/man/man1/holdfast-app.1.gz`];
}

/** Returns the page of the program that opens the window. */
export function manualPage(version: string, day: string): string {
  return [
    `.TH HOLDFAST\\-APP 1 ${day} "Holdfast ${roffText(version)}" "Holdfast"`,
    section('Name'),
    String.raw`holdfast\-app \- back up folders, and restore any file from any time`,
    section('Synopsis'),
    String.raw`.B holdfast\-app`,
    String.raw`[\fIoptions\fR]`,
    section('Description'),
    'Opens the window of Holdfast, or brings it to the front if it runs already. While it runs, also without a window, it makes the backups that are planned.',
    '.PP',
    'The command line is',
    String.raw`.BR holdfast (1).`,
    section('Options'),
    item('--hidden', 'Starts without a window, as at a login.'),
    item(`${PREVIOUS_VERSIONS} PATH`, 'Shows the earlier versions of a file or folder.'),
    section('Environment'),
    item('HOLDFAST_HOME', 'The folder with settings, keys and the catalog.'),
    section('Files'),
    item('~/.local/share/holdfast', 'Settings, keys and the catalog, unless HOLDFAST_HOME names another folder.'),
    item('~/.config/autostart', 'Has an entry of Holdfast if it starts at login.'),
    section('See also'),
    String.raw`.BR holdfast (1)`,
    '',
  ].join('\n');
}
