import { existsSync } from 'node:fs';
import { AS_ANNA, OUTSIDE, type Computer } from './computer.ts';
import { DOCUMENTS } from './documents.ts';
import { firstBackup } from './first-backup.ts';
import { leftOfPackage } from './left-of-package.ts';
import { checkLibraries } from './libraries.ts';
import type { Step, Versions } from './step.ts';

/** Each file with its mode, owner, size and the target of a link; and the contents of all. */
const LIST = `find . -printf '%P %y %m %s %l\\n' | sed 's/ d \\([0-7]*\\) [0-9]* $/ d \\1/' | LC_ALL=C sort; find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum`;

/**
 * Installs the rpm with rpm itself, without its dependencies, which have other names here; uses it and erases it.
 *
 * @param files of the two versions @param deb of the older version
 */
export function rpmSteps(computer: Computer, versions: Versions, files: Versions, deb: string): readonly Step[] {
  let before: readonly string[] = [];

  async function install(): Promise<unknown> {
    before = await computer.paths();
    await computer.all(`rpm -i --nodeps ${OUTSIDE}/${files.older}`, 'rpm -V --nodeps holdfast-app');
    const others = await computer.one(`find /opt/Holdfast ! '(' -user root -group root ')' -print`);
    if (others !== '') throw new Error(`not owned by root:\n${others}`);
    const command = await computer.one('readlink -f /usr/bin/holdfast');
    if (command !== '/opt/Holdfast/resources/holdfast') throw new Error(`holdfast is ${command}`);
    await computer.all(DOCUMENTS);
    return { helper: await computer.one(`stat -c '%a %U' /opt/Holdfast/chrome-sandbox`) };
  }

  /** dpkg-deb unpacks the other package of the same build: a program that has nothing in common with rpm. */
  async function compare(): Promise<unknown> {
    await computer.all(
      `mkdir /tmp/deb && dpkg-deb -x ${OUTSIDE}/${deb} /tmp/deb`,
      // The script of the installation decides.
      'chmod --reference=/opt/Holdfast/chrome-sandbox /tmp/deb/opt/Holdfast/chrome-sandbox',
      `(cd /opt/Holdfast && ${LIST}) >/tmp/rpm.list && [ -s /tmp/rpm.list ]`,
      `(cd /tmp/deb/opt/Holdfast && ${LIST}) >/tmp/deb.list && [ -s /tmp/deb.list ]`,
      'diff /tmp/deb.list /tmp/rpm.list',
      `cd /tmp/deb && find usr -type f | while read -r file; do cmp "$file" "/$file" || exit 1; done; cd /`,
    );
    const libraries = existsSync('/usr/bin/readelf') ? await checkLibraries(computer, 'rpm') : 'readelf is missing';
    return { paths: Number(await computer.one('find /opt/Holdfast | wc -l')), libraries };
  }

  const installed = (): Promise<string> => computer.one(`rpm -q --queryformat '%{VERSION}\\n' holdfast-app`);

  async function update(): Promise<unknown> {
    await computer.all(
      `rpm -U --nodeps ${OUTSIDE}/${files.newer}`,
      'rpm -V --nodeps holdfast-app',
      // The end of the old version must not take what both have.
      '[ "$(readlink /usr/bin/holdfast)" = /opt/Holdfast/resources/holdfast ]',
    );
    return { installed: await installed() };
  }

  async function downgrade(): Promise<unknown> {
    const said = await computer.refused(`rpm -U --nodeps ${OUTSIDE}/${files.older}`);
    if ((await installed()) !== versions.newer) throw new Error(`${await installed()} is installed`);
    return { said: said.split('\n').at(-1) };
  }

  async function restore(): Promise<unknown> {
    await computer.all(
      `${AS_ANNA} holdfast restore 'My files' --to /home/anna/restored`,
      'diff -r /home/anna/Documents /home/anna/restored/Documents',
    );
    return undefined;
  }

  async function erase(): Promise<unknown> {
    await computer.closeBrowser();
    await computer.all('rpm -e --nodeps holdfast-app');
    await computer.until('pgrep -x holdfast-app >/dev/null || echo ended');
    return { own: await leftOfPackage(computer, before) };
  }

  return [
    ['rpm: the first version is installed', install],
    ['rpm: it contains what the deb contains', compare],
    ['rpm: first backup through the window', () => firstBackup(computer, 'rpm')],
    ['rpm: an update while the app runs', update],
    ['rpm: an older version is refused', downgrade],
    ['rpm: the command line restores', restore],
    ['rpm: erased', erase],
  ];
}
