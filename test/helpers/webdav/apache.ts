import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../free-port.ts';
import { isListening } from '../sftp/sftp-server.ts';

const MODULES = '/usr/lib/apache2/modules';

/** True if this machine has the web server that scripts/install-test-tools.sh installs. */
export const HAS_APACHE = existsSync('/usr/sbin/apache2') && existsSync(join(MODULES, 'mod_dav_fs.so'));

export const CREDENTIALS = { user: 'anna', password: 'correct horse' } as const;

/** Apache with WebDAV and digest authentication, for a folder of this computer. */
export async function startApache(folder: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-apache-'));
  mkdirSync(join(home, 'locks'));
  const port = await freePort();
  const realm = 'backups';
  const secret = createHash('md5').update(`${CREDENTIALS.user}:${realm}:${CREDENTIALS.password}`).digest('hex');
  writeFileSync(join(home, 'users'), `${CREDENTIALS.user}:${realm}:${secret}\n`);
  const names = ['mpm_event', 'authn_core', 'authn_file', 'authz_core', 'authz_user', 'auth_digest', 'dav', 'dav_fs'];
  writeFileSync(
    join(home, 'httpd.conf'),
    [
      `ServerRoot ${home}`,
      `ServerName 127.0.0.1`,
      `Listen 127.0.0.1:${port}`,
      `PidFile ${home}/pid`,
      `DefaultRuntimeDir ${home}`,
      `Mutex fcntl:${home}`,
      `ErrorLog ${home}/error.log`,
      ...names.map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`),
      // It refuses to serve as root.
      ...(userInfo().uid === 0 ? ['User #65534', 'Group #65534'] : []),
      `DavLockDB ${home}/locks/locks`,
      `DocumentRoot ${folder}`,
      `<Directory ${folder}>`,
      'Dav On',
      'AuthType Digest',
      `AuthName ${realm}`,
      `AuthUserFile ${home}/users`,
      'Require valid-user',
      '</Directory>',
      '',
    ].join('\n'),
  );
  if (userInfo().uid === 0) {
    const { chownSync, chmodSync } = await import('node:fs');
    for (const path of [join(home, 'locks'), folder]) chownSync(path, 65_534, 65_534);
    for (const path of [home, folder]) chmodSync(path, 0o777);
  }
  const child = spawn('/usr/sbin/apache2', ['-f', join(home, 'httpd.conf'), '-D', 'FOREGROUND'], { stdio: 'inherit' });
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`apache2 ended with ${child.exitCode}`);
    await sleep(20);
  }
  return {
    url: `http://127.0.0.1:${port}/`,
    stop: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      rmSync(home, { recursive: true, force: true });
    },
  };
}
