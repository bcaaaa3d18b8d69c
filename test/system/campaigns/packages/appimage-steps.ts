import { join } from 'node:path';
import { AS_ANNA, OUTSIDE, type Computer } from './computer.ts';
import { firstBackup } from './first-backup.ts';
import { leftOfPackage } from './left-of-package.ts';
import type { Step, Versions } from './step.ts';
import type { UpdateServer } from './update-server.ts';

/** Where the person has put it. */
const IMAGE = '/home/anna/Applications/Holdfast.AppImage';
/** The command line in the image, as `scripts/package/linux/holdfast` starts it in the other packages. */
const COMMAND = `${AS_ANNA} ${IMAGE} --no-sandbox --ozone-platform=headless --disable-gpu --log-level=3 --command-line --`;
/** What a person's own session has, of the variables that an AppImage sets for itself. It names the usual folders of `XDG_DATA_DIRS`, too. */
const SESSION_LISTS = '^(PATH|LD_LIBRARY_PATH|GSETTINGS_SCHEMA_DIR|ARGV0|OWD)=';

/**
 * Puts the AppImage among a person's files, starts it, and uses it: nobody installs anything. The newer version comes from the server of updates.
 *
 * @param builds the folders that have the two versions @param names of the two files
 */
export function appImageSteps(
  computer: Computer,
  server: UpdateServer,
  builds: Versions,
  names: Versions,
): readonly Step[] {
  let before: readonly string[] = [];

  /** Without libfuse2, which today's distributions do not install. */
  async function put(): Promise<unknown> {
    await computer.all('rm -f /usr/lib/*/libfuse.so.2*');
    before = await computer.paths();
    await computer.all(
      `install -D -m 755 -o anna ${OUTSIDE}/${names.older} ${IMAGE}`,
      `chown anna:anna $(dirname ${IMAGE})`,
    );
    return { commandLine: await computer.one(`${COMMAND} --version`) };
  }

  async function entries(): Promise<unknown> {
    const entry = '/home/anna/.config/autostart/holdfast.desktop';
    await computer.all(
      `grep -qxF 'TryExec=${IMAGE}' ${entry}`,
      // Nothing that stays may name the folder of this start.
      `! grep -rIl /tmp/.mount_ /home/anna/.config /home/anna/.local --include=*.desktop --include=*.xml --include=*.py --include=*.conf --include=*.service --include=*.timer`,
    );
    return { login: await computer.one(`grep ^Exec= ${entry}`) };
  }

  /** A person's own command must not load the libraries of the image. */
  async function command(): Promise<unknown> {
    const { page } = computer;
    await computer.all(
      `${COMMAND} set hooks 'My files' --before "env >/home/anna/seen.env"`,
      `${AS_ANNA} sh -c env | grep -E '${SESSION_LISTS}' | sort >/tmp/session.env`,
    );
    await computer.pressBackUp();
    await computer.until('[ -s /home/anna/seen.env ] && echo seen');
    await page.getByRole('heading', { name: /^Protected/ }).waitFor();
    await computer.all(
      `grep -E '${SESSION_LISTS}' /home/anna/seen.env | sort >/tmp/seen.env`,
      'diff /tmp/session.env /tmp/seen.env',
      `! grep -F /tmp/.mount_ /home/anna/seen.env | grep -v ^APPDIR=`,
      'rm /home/anna/seen.env',
    );
    return { seen: await computer.one('cat /tmp/seen.env') };
  }

  async function refuse(): Promise<unknown> {
    server.publish(builds.older, names.older);
    await computer.openAbout();
    const { page } = computer;
    await page.getByRole('button', { name: 'Check now' }).click();
    const said = page.getByText(/^There was no newer version\./);
    await said.waitFor();
    return { said: await said.innerText() };
  }

  async function update(): Promise<unknown> {
    server.publish(builds.newer, names.newer);
    const { page } = computer;
    await page.getByRole('button', { name: 'Check now' }).click();
    const begun = performance.now();
    const since = (): number => Math.round((performance.now() - begun) / 100) / 10;
    await page.getByText(/is ready to be installed/).waitFor();
    const ready = since();
    const started = await computer.one(MAIN_PROCESS);
    await page.getByRole('button', { name: 'Install and restart' }).click();
    await computer.until(`id=$(${MAIN_PROCESS}); [ -n "$id" ] && [ "$id" != "${started}" ] && echo $id`);
    const replaced = since();
    await computer.closeBrowser();
    await computer.all(`cmp ${IMAGE} ${join(OUTSIDE, names.newer)}`);
    return { ready, replaced };
  }

  /** As with Ubuntu 24: the start script asks `unshare`. */
  async function withoutNamespaces(): Promise<unknown> {
    await computer.all(
      `kill $(${MAIN_PROCESS})`,
      `mkdir ${NO_NAMESPACES} && printf '#!/bin/sh\\nexit 1\\n' >${NO_NAMESPACES}/unshare && chmod -R 755 ${NO_NAMESPACES}`,
    );
    await computer.until('pgrep -x holdfast-app >/dev/null || echo ended');
    await computer.openApp('no-namespaces', `env PATH=${NO_NAMESPACES}:/usr/bin:/bin ${IMAGE}`);
    await computer.openAbout();
    const said = computer.page.getByText(/The window runs without its sandbox/);
    const found = { said: await said.innerText() };
    await computer.closeBrowser();
    return found;
  }

  async function restore(): Promise<unknown> {
    await computer.all(
      `${COMMAND} restore 'My files' --to /home/anna/restored`,
      'diff -r /home/anna/Documents /home/anna/restored/Documents',
      'diff -r /home/anna/Pictures /home/anna/restored/Pictures',
    );
    return { files: Number(await computer.one('find /home/anna/restored -type f | wc -l')) };
  }

  /** Deletes the file while the app runs, which then ends by itself. */
  async function remove(): Promise<unknown> {
    await computer.all(`rm ${IMAGE}`);
    await computer.until('pgrep -x holdfast-app >/dev/null || echo ended');
    await computer.until('grep -q /tmp/.mount_ /proc/mounts || echo unmounted');
    return { own: await leftOfPackage(computer, before) };
  }

  return [
    ['AppImage: a person puts it among their files', put],
    ['AppImage: first backup through the window', () => firstBackup(computer, 'appimage', IMAGE)],
    ['AppImage: what starts it names the file', entries],
    ['AppImage: a command before a backup', command],
    ['AppImage: an older version is refused', refuse],
    ['AppImage: it replaces itself', update],
    ['AppImage: it says that it has no sandbox', withoutNamespaces],
    ['AppImage: the command line restores', restore],
    ['AppImage: deleted', remove],
  ];
}

const NO_NAMESPACES = '/tmp/no-namespaces';

/** Prints the id of the app's first process. */
const MAIN_PROCESS = `for id in $(pgrep -x holdfast-app); do grep -qE -- '--type=|--command-line' /proc/$id/cmdline || echo $id; done`;
