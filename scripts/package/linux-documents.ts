import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { debianChangelog, debianCopyright } from './debian-documents.ts';
import { item, roffText, section } from '../package-cli/manual/roff.ts';
import { PREVIOUS_VERSIONS } from '../../src/main/file-managers/requested-path.ts';

interface Documents {
  readonly root: string;
  /** A folder for the files. */
  readonly parts: string;
  readonly version: string;
  /** Seconds since 1970. */
  readonly epoch: number;
  readonly changelog: string;
}

interface Manifest {
  readonly homepage: string;
  readonly author: { readonly name: string; readonly email: string };
}

/** Mappings of fpm. */
interface Mappings {
  readonly both: readonly string[];
  /** For deb only. */
  readonly debian: readonly string[];
}

/** Writes what a package of Linux has beside its program: manual page, licence and changelog, with the names of Debian's policy. */
export function linuxDocuments({ root, parts, version, epoch, changelog }: Documents): Mappings {
  const [documents, pages, debian] = [join(parts, 'documents'), join(parts, 'manual'), join(parts, 'debian')];
  for (const folder of [documents, pages, debian]) mkdirSync(folder);
  const { homepage, author } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const own = { name: 'holdfast-app', version, homepage, maintainer: `${author.name} <${author.email}>`, epoch };
  writeFileSync(
    join(documents, 'copyright'),
    debianCopyright(own, '/opt/Holdfast/THIRD-PARTY-NOTICES.txt, and this one also in\n /opt/Holdfast/LICENSE.txt'),
  );
  writeFileSync(join(documents, 'CHANGELOG.md.gz'), gzipSync(changelog, { level: 9 }));
  const ofDebian = join(debian, 'changelog.gz');
  writeFileSync(ofDebian, gzipSync(debianChangelog(own), { level: 9 }));
  const day = new Date(epoch * 1000).toISOString().slice(0, 10);
  const page = join(pages, 'holdfast-app.1.gz');
  writeFileSync(page, gzipSync(manualPage(version, day), { level: 9 }));
  // A folder is removed with its package, a file's is not.
  return {
    both: [`${documents}/=/usr/share/doc/holdfast-app`, `${page}=/usr/share/man/man1/holdfast-app.1.gz`],
    debian: [`${ofDebian}=/usr/share/doc/holdfast-app/changelog.gz`],
  };
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
