import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BareRoot } from '../../system/campaigns/self-hosting/bare-root.ts';

const ROOT = dirname(dirname(dirname(import.meta.dirname)));
const OUTSIDE = '/srv/outside';
const IS_POSSIBLE = BareRoot.isPossible && spawnSync('which', ['dpkg-deb']).status === 0;

/** Scripts of a package by their names in it. */
type Scripts = Readonly<Record<string, string>>;

/** The scripts of the app, as electron-builder writes them. */
function appScripts(): Scripts {
  const script = (name: string): string =>
    readFileSync(join(ROOT, 'scripts/package/linux', name), 'utf8')
      .replaceAll('${sanitizedProductName}', 'Holdfast')
      .replaceAll('${executable}', 'holdfast-app');
  return { postinst: script('after-install.sh'), postrm: script('after-remove.sh') };
}

function scriptsIn(folder: string): Scripts {
  return Object.fromEntries(
    readdirSync(join(ROOT, folder)).map((name) => [name, readFileSync(join(ROOT, folder, name), 'utf8')]),
  );
}

describe.skipIf(!IS_POSSIBLE)('the scripts of the packages', () => {
  let outside: string;
  let computer: BareRoot;

  beforeAll(() => {
    outside = mkdtempSync(join(tmpdir(), 'holdfast-scripts-'));
    chmodSync(outside, 0o755);
    for (const version of ['1', '2']) {
      build('app', version, appScripts(), {
        'opt/Holdfast/resources/holdfast': `#!/bin/sh\necho app ${version}\n`,
        'opt/Holdfast/chrome-sandbox': '',
      });
      build('cli', version, scriptsIn('deploy/debian-cli'), {
        'usr/lib/holdfast/bin/holdfast': `#!/bin/sh\necho cli ${version}\n`,
        'usr/bin/holdfast': { link: '../lib/holdfast/bin/holdfast' },
        'usr/lib/holdfast/person-timers': readFileSync(join(ROOT, 'deploy/systemd/person-timers'), 'utf8'),
      });
      const config = readFileSync(join(ROOT, 'deploy/systemd/service.example.json'), 'utf8');
      build('service', version, scriptsIn('deploy/debian'), {
        'etc/holdfast/service.json': version === '1' ? config : `${config}\n`,
      });
    }
  });
  afterAll(() => rmSync(outside, { recursive: true, force: true }));
  beforeEach(() => {
    computer = BareRoot.start(outside);
  });
  afterEach(() => computer[Symbol.asyncDispose]());

  /** Builds a package with the real scripts, and small files in the places of the real ones. */
  function build(
    name: string,
    version: string,
    scripts: Scripts,
    files: Readonly<Record<string, string | { readonly link: string }>>,
  ): void {
    const tree = join(outside, `${name}-${version}`);
    mkdirSync(join(tree, 'DEBIAN'), { recursive: true });
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(tree, path)), { recursive: true });
      if (typeof content === 'string') writeFileSync(join(tree, path), content);
      else execFileSync('ln', ['-s', content.link, join(tree, path)]);
      if (typeof content === 'string' && content.startsWith('#!')) chmodSync(join(tree, path), 0o755);
    }
    const configuration = Object.keys(files).filter((path) => path.startsWith('etc/'));
    if (configuration.length > 0)
      writeFileSync(join(tree, 'DEBIAN/conffiles'), configuration.map((path) => `/${path}\n`).join(''));
    for (const [script, text] of Object.entries(scripts))
      writeFileSync(join(tree, 'DEBIAN', script), text, { mode: 0o755 });
    const fields = {
      Package: `holdfast-${name}`,
      Version: version,
      Architecture: 'all',
      Maintainer: 'Anna <anna@example.org>',
      Description: name,
    };
    const control = Object.entries(fields).map(([field, value]) => `${field}: ${value}\n`);
    writeFileSync(join(tree, 'DEBIAN/control'), control.join(''));
    const file = join(outside, `${name}${version}.deb`);
    execFileSync('dpkg-deb', ['--root-owner-group', '-Znone', '--build', tree, file], { stdio: 'pipe' });
    rmSync(tree, { recursive: true });
  }

  /** Runs commands, each of which has to succeed. Returns what the last one printed. */
  async function all(...commands: readonly string[]): Promise<string> {
    let last = '';
    for (const command of commands) {
      const { status, output } = await computer.run(command);
      expect([command, status, output]).toEqual([command, 0, output]);
      last = output;
    }
    return last;
  }

  const install = (...names: readonly string[]): string =>
    `dpkg --force-confold -i ${names.map((name) => `${OUTSIDE}/${name}.deb`).join(' ')}`;
  const PURGE_APP = 'dpkg --purge holdfast-app';
  const PURGE_CLI = 'dpkg --purge holdfast-cli';
  const PURGE_SERVICE = 'dpkg --purge holdfast-service';
  const WHICH = 'if [ -e /usr/bin/holdfast ]; then holdfast; else echo none; fi';

  test('timers of people end with the program, and start again with it', async () => {
    const asked = `rm -f /tmp/asked && touch /tmp/asked && chmod a+w /tmp/asked`;
    const wants = '~anna/.config/systemd/user/timers.target.wants';
    await all(
      'useradd --create-home --uid 12345 anna',
      `mkdir -p /run/systemd/system ${wants} && ln -s /nowhere ${wants}/holdfast-backup@docs.timer`,
      `printf '#!/bin/sh\ncase $1 in list-units) echo user@12345.service loaded ;; --user) echo "$(id -un) $XDG_RUNTIME_DIR $*" >>/tmp/asked ;; esac\n' >/usr/local/bin/systemctl`,
      'chmod a+x /usr/local/bin/systemctl',
      asked,
    );
    const anna = 'anna /run/user/12345 --user';
    const started = `${anna} daemon-reload\n${anna} start -- holdfast-backup@docs.timer`;
    expect(await all(install('cli1'), 'cat /tmp/asked')).toBe(started);
    expect(await all(asked, install('cli2'), 'cat /tmp/asked')).toBe(started);
    const stopped = `${anna} stop holdfast-backup@*.timer holdfast-backup@*.service`;
    expect(await all(asked, 'dpkg --remove holdfast-cli', 'cat /tmp/asked')).toBe(stopped);
    expect(await all(asked, PURGE_CLI, 'cat /tmp/asked')).toBe('');
  });

  test.each([
    ['of the app alone', [install('app1')], 'app 1'],
    ['of the app after an update', [install('app1'), install('app2')], 'app 2'],
    ['of nobody after the app', [install('app1'), PURGE_APP], 'none'],
    ['of the command line, installed first', [install('cli1'), install('app1')], 'cli 1'],
    ['of the command line, installed second', [install('app1'), install('cli1')], 'cli 1'],
    ['of the command line after an update of the app', [install('app1'), install('cli1'), install('app2')], 'cli 1'],
    ['of the command line after the app', [install('cli1'), install('app1'), PURGE_APP], 'cli 1'],
    ['of the app after the command line', [install('app1', 'cli1'), PURGE_CLI], 'app 1'],
    ['of nobody after both', [install('app1', 'cli1'), 'dpkg --purge holdfast-cli holdfast-app'], 'none'],
    ['of nobody after both, in the other order', [install('cli1', 'app1'), PURGE_APP, PURGE_CLI], 'none'],
    [
      'of an administrator, who has linked another one',
      [
        'printf "#!/bin/sh\\necho own" >/opt/own && chmod +x /opt/own && ln -s /opt/own /usr/bin/holdfast',
        install('app1'),
        PURGE_APP,
      ],
      'own',
    ],
  ])('leave the command %s', async (_name, commands, expected) => {
    expect(await all(...commands, WHICH)).toBe(expected);
  });

  test('leave nothing of the app', async () => {
    const list =
      'find /etc /opt /usr /var -xdev -path /var/lib/dpkg -prune -o -path /var/log -prune -o -path /var/tmp -prune -o -print | sort >';
    await all(`${list} /tmp/before`, install('app1'), install('app1'), 'dpkg --remove holdfast-app', PURGE_APP);
    expect(await all(`${list} /tmp/after`, 'diff /tmp/before /tmp/after')).toBe('');
  });

  test('give the configuration to the service, and let others read the folder', async () => {
    await all(install('service1'));
    expect(await all(`stat -c '%a %U:%G %n' /etc/holdfast /etc/holdfast/service.json /var/lib/holdfast`)).toBe(
      [
        '755 root:root /etc/holdfast',
        '640 root:holdfast /etc/holdfast/service.json',
        '700 holdfast:holdfast /var/lib/holdfast',
      ].join('\n'),
    );
  });

  test('keep what an administrator has changed', async () => {
    await all(
      install('service1'),
      `echo '{"own": 1}' >/etc/holdfast/service.json && chmod 660 /etc/holdfast/service.json`,
    );
    await all('echo A=1 >/etc/holdfast/service.env && chmod 600 /etc/holdfast/service.env');
    await all(install('service2'), 'dpkg --remove holdfast-service', install('service2'));
    expect(await all(`stat -c '%a %U:%G' /etc/holdfast/service.json /etc/holdfast/service.env`)).toBe(
      '660 root:holdfast\n600 root:root',
    );
    expect(await all('cat /etc/holdfast/service.json')).toBe('{"own": 1}');
    expect(await all(PURGE_SERVICE, 'ls /etc/holdfast')).toBe('service.env');
  });

  test.each([
    ['the configuration was removed', [install('service1'), 'rm /etc/holdfast/service.json'], ''],
    ['a group of this name is there', ['groupadd holdfast'], ''],
    [
      'the data are elsewhere',
      [
        install('service1'),
        'mv /var/lib/holdfast /srv/data && touch /srv/data/backup && ln -s /srv/data /var/lib/holdfast',
      ],
      '/srv/data\n/srv/data/backup',
    ],
    [
      'the disk with the data is not mounted',
      [install('service1'), 'rmdir /var/lib/holdfast && ln -s /srv/not-mounted /var/lib/holdfast'],
      '/srv/not-mounted',
    ],
    ['the folder of the configuration is elsewhere', ['mkdir /srv/config && ln -s /srv/config /etc/holdfast'], ''],
  ])('update and purge the service where %s', async (_name, before, data) => {
    await all(...before, install('service2'), 'dpkg --remove holdfast-service', PURGE_SERVICE);
    expect(await all('dpkg-query -W holdfast-service 2>/dev/null | wc -l')).toBe('0');
    expect(await all('readlink /var/lib/holdfast; find /srv -name backup')).toBe(data);
  });

  test('say that what an administrator has added to the configuration stays', async () => {
    await all(install('service1'), 'echo KEY=1 >/etc/holdfast/service.env');
    expect(await all(PURGE_SERVICE)).toContain('What you have added to /etc/holdfast stays there');
    expect(await all('ls /etc/holdfast')).toBe('service.env');
    expect(await all('rm -r /etc/holdfast', install('service1'), PURGE_SERVICE)).not.toContain('What you have added');
  });

  test('change no file that the configuration links to', async () => {
    await all(install('service1'));
    await all('mv /etc/holdfast/service.json /srv/own.json && ln -s /srv/own.json /etc/holdfast/service.json');
    await all('chown root:root /srv/own.json && chmod 644 /srv/own.json', install('service2'));
    expect(await all(`stat -c '%a %U:%G' /srv/own.json`)).toBe('644 root:root');
  });
});
