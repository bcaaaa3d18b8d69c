import { existsSync } from 'node:fs';
import { AS_ANNA, OUTSIDE, PATIENCE_MS, type Computer } from './computer.ts';
import { DOCUMENTS } from './documents.ts';
import { firstBackup } from './first-backup.ts';
import { leftOfPackage } from './left-of-package.ts';
import { checkLibraries } from './libraries.ts';
import type { Step, Versions } from './step.ts';

/** What is backed up during the update. */
const LARGE_BYTES = 1_000_000_000;
/** Gives the agent, which makes the backups, a twentieth of the time: the update is then installed in the middle of the backup. */
const SLOWLY = `(while kill -STOP $agent; do sleep 1; kill -CONT $agent; sleep 0.05; done) >/dev/null 2>&1 & slowly=$!`;
const FIND_AGENT = `agent=$(grep -l 'node.mojom.NodeServic[e]' /proc/[0-9]*/cmdline 2>/dev/null | cut -d/ -f3 | tr '\\n' ' '); [ -n "$agent" ]`;

/** Installs the deb as an administrator would, and uses it as a person would. @param files of the two versions */
export function debSteps(computer: Computer, versions: Versions, files: Versions): readonly Step[] {
  let before: readonly string[] = [];
  const apt = (command: string, what: string): Promise<void> =>
    computer.all(
      `apt-get ${command} -y -qq --no-install-recommends ${what} || { apt-get update -qq && apt-get ${command} -y -qq --no-install-recommends ${what}; }`,
    );

  async function install(): Promise<unknown> {
    before = await computer.paths();
    await apt('install', `${OUTSIDE}/${files.older}`);
    const helper = await computer.one(`stat -c '%a %U' /opt/Holdfast/chrome-sandbox`);
    const command = await computer.one('readlink -f /usr/bin/holdfast');
    if (command !== '/opt/Holdfast/resources/holdfast') throw new Error(`holdfast is ${command}`);
    await computer.all(DOCUMENTS);
    return { helper, verified: await computer.one('dpkg --verify holdfast-app && echo yes') };
  }

  async function validate(): Promise<unknown> {
    const tools = ['desktop-file-validate', 'appstreamcli', 'readelf'].filter((tool) => existsSync(`/usr/bin/${tool}`));
    if (tools.includes('desktop-file-validate')) {
      await computer.all('desktop-file-validate /usr/share/applications/org.holdfast.Holdfast.desktop');
    }
    if (tools.includes('appstreamcli')) {
      await computer.all('appstreamcli validate --no-net /usr/share/metainfo/org.holdfast.Holdfast.metainfo.xml');
    }
    return { tools, ...(tools.includes('readelf') && { libraries: await checkLibraries(computer, 'deb') }) };
  }

  /** Updates the package while a backup runs, which has to end as if nothing had happened. */
  async function update(): Promise<unknown> {
    const large = '/home/anna/Documents/large.bin';
    await computer.all(`head -c ${LARGE_BYTES} /dev/urandom >${large} && chown anna:anna ${large}`, FIND_AGENT);
    const { page } = computer;
    await computer.pressBackUp();
    await page
      .getByRole('heading', { name: /Backing up/ })
      .first()
      .waitFor();
    await computer.all(SLOWLY);
    await apt('install', `${OUTSIDE}/${files.newer}`);
    const during = await page.getByRole('heading').first().innerText();
    await computer.all('kill $slowly; kill -CONT $agent');
    if (!during.startsWith('Backing up')) throw new Error(`the backup had ended before the update: ${during}`);
    await page.getByRole('heading', { name: /^Protected/ }).waitFor({ timeout: 4 * PATIENCE_MS });
    return { during, after: await page.getByRole('heading', { name: /^Protected/ }).innerText() };
  }

  async function restart(): Promise<unknown> {
    const { page } = computer;
    await computer.openAbout();
    await page.getByRole('button', { name: 'Restart Holdfast' }).click();
    // The replaced file of the old program is called deleted.
    await computer.until(
      `for id in $(pgrep -x holdfast-app); do
        [ "$(readlink /proc/$id/exe)" != /opt/Holdfast/holdfast-app ] || grep -q -- --type= /proc/$id/cmdline || echo $id
      done`,
    );
    await computer.closeBrowser();
    return { installed: await installed() };
  }

  const installed = (): Promise<string> => computer.one(`dpkg-query -W -f '\${Version}\\n' holdfast-app`);

  async function downgrade(): Promise<unknown> {
    const said = await computer.refused(`apt-get install -y -qq ${OUTSIDE}/${files.older}`);
    if ((await installed()) !== versions.newer) throw new Error(`${await installed()} is installed`);
    return { said: said.split('\n').at(-1) };
  }

  async function restore(): Promise<unknown> {
    await computer.all(
      `${AS_ANNA} holdfast status`,
      `${AS_ANNA} holdfast restore 'My files' --to /home/anna/restored`,
      'diff -r /home/anna/Documents /home/anna/restored/Documents',
      'diff -r /home/anna/Pictures /home/anna/restored/Pictures',
    );
    return { files: Number(await computer.one('find /home/anna/restored -type f | wc -l')) };
  }

  /** Removes the package while the app runs, which then ends by itself. */
  async function remove(): Promise<unknown> {
    await apt('purge', 'holdfast-app');
    await computer.until('pgrep -x holdfast-app >/dev/null || echo ended');
    return { own: await leftOfPackage(computer, before) };
  }

  return [
    ['the first version is installed', install],
    ['its entries are valid', validate],
    ['first backup through the window', () => firstBackup(computer, 'deb')],
    ['an update during a backup', update],
    ['the next start is the new version', restart],
    ['an older version is refused', downgrade],
    ['the command line restores', restore],
    ['removed', remove],
  ];
}
