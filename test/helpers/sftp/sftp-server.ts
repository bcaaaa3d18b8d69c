import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SftpConfig } from '../../../src/storage/sftp/sftp-config.ts';
import { freePort } from '../free-port.ts';

const SSHD = '/usr/sbin/sshd';

/** True if this machine has the SSH server that scripts/install-test-tools.sh installs. */
export const HAS_SSHD = existsSync(SSHD);

/** OpenSSH's server, run as the current user, with a key of its own and one key that may sign in. */
export class SftpServer {
  readonly port: number;
  /** Private key that may sign in. */
  readonly keyFile: string;
  /** Private host key. */
  readonly hostKeyFile: string;
  readonly #folder: string;
  readonly #denied: readonly string[];
  #process: ChildProcess | undefined;

  private constructor(folder: string, port: number, denied: readonly string[]) {
    this.#denied = denied;
    this.#folder = folder;
    this.port = port;
    this.keyFile = join(folder, 'user');
    this.hostKeyFile = join(folder, 'host');
  }

  /** @param denied requests that the server does not offer, such as `hardlink` */
  static async start(denied: readonly string[] = []): Promise<SftpServer> {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-sshd-'));
    for (const name of ['host', 'user']) createKey(folder, name);
    const server = new SftpServer(folder, await freePort(), denied);
    await server.resume();
    return server;
  }

  /** Of the host key, as `ssh-keygen -l` shows it. */
  get fingerprint(): string {
    const [, fingerprint = ''] = execFileSync('ssh-keygen', ['-l', '-f', `${this.hostKeyFile}.pub`], {
      encoding: 'utf8',
    }).split(' ');
    return fingerprint;
  }

  /** Restarts the server with another host key. */
  async replaceHostKey(): Promise<void> {
    await this.stop();
    for (const file of [this.hostKeyFile, `${this.hostKeyFile}.pub`]) rmSync(file);
    createKey(this.#folder, 'host');
    await this.resume();
  }

  /** Access to a folder of this computer through the server. */
  config(path: string): SftpConfig {
    return {
      host: '127.0.0.1',
      port: this.port,
      user: userInfo().username,
      path,
      hostKey: { kind: 'known', fingerprint: this.fingerprint },
      authentication: { kind: 'key-file', file: this.keyFile },
    };
  }

  /** Starts the server again after `stop`. */
  async resume(): Promise<void> {
    // The server insists on it when it runs as root.
    if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true });
    const configuration = join(this.#folder, 'sshd_config');
    writeFileSync(
      configuration,
      [
        `Port ${this.port}`,
        'ListenAddress 127.0.0.1',
        `HostKey ${join(this.#folder, 'host')}`,
        `AuthorizedKeysFile ${join(this.#folder, 'user.pub')}`,
        'PasswordAuthentication no',
        'KbdInteractiveAuthentication no',
        'PermitRootLogin prohibit-password',
        'StrictModes no',
        'UsePAM no',
        'PidFile none',
        'MaxStartups 100',
        'PerSourceMaxStartups none',
        `Subsystem sftp internal-sftp${this.#denied.length === 0 ? '' : ` -P ${this.#denied.join(',')}`}`,
        '',
      ].join('\n'),
    );
    const child = spawn(SSHD, ['-D', '-e', '-f', configuration], { stdio: 'ignore', detached: true });
    this.#process = child;
    for (;;) {
      if (child.exitCode !== null) throw new Error(`sshd ended with ${child.exitCode}`);
      if (await isListening(this.port)) return;
      await sleep(20);
    }
  }

  /** Ends the server and all of its connections. */
  async stop(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child?.pid === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => {
      child.once('exit', resolve);
    });
    child.kill('SIGKILL');
    await ended;
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function createKey(folder: string, name: string): void {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', join(folder, name)]);
}

export async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    return await new Promise((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
  } finally {
    socket.destroy();
  }
}
