import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BareRoot, type ScriptEnd } from '../self-hosting/bare-root.ts';

const PROGRAM = '/lib/systemd/systemd';
/** Of what systemd has in a cgroup of its own. */
const CGROUP = `mkdir -p "$1/cgroup" && mount -t cgroup2 cgroup2 "$1/cgroup" && cgroup="$1/cgroup/holdfast-$2"`;
const ENTER = `${CGROUP} && mkdir -p "$cgroup" && echo $$ >"$cgroup/cgroup.procs" && umount "$1/cgroup" && shift 2 && exec "$@"`;
/** Processes may still be about to end. */
const REMOVE = `${CGROUP} && while [ -e "$cgroup" ]; do find "$cgroup" -depth -type d -exec rmdir {} + 2>/dev/null || sleep 0.1; done`;

/**
 * Mounts this computer's files below DIR/root, with changes in DIR/upper, and becomes its systemd. Nothing that is enabled on this computer
 * starts there.
 */
const BOOT = `
set -e
cd "$1"
mount -t overlay overlay -o lowerdir=/,upperdir=upper,workdir=work root
cd root
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=0755 tmpfs dev
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
for name in null zero full random urandom tty; do touch dev/$name; mount --bind /dev/$name dev/$name; done
for name in run tmp; do mount -t tmpfs -o mode=1777 tmpfs $name; done
chmod 0755 run
mkdir -p srv/outside
mount --bind "$2" srv/outside
if [ ! -e etc/holdfast-booted ]; then
  rm -rf etc/systemd/system/*.wants
  : >etc/machine-id
  : >etc/fstab
  : >etc/holdfast-booted
fi
ip link set lo up
pivot_root . mnt
cd /
umount -l /mnt
exec env -i container=holdfast PATH=/usr/sbin:/usr/bin:/sbin:/bin ${PROGRAM} --unit=multi-user.target --log-target=null --show-status=0`;

/** A Debian like this one with a systemd of its own, which can be shut down and booted again. Its network is its own, too. */
export class BootedRoot implements AsyncDisposable {
  readonly #folder: string;
  readonly #outside: string;
  #computer: ChildProcess | undefined;
  #systemd = 0;

  /** @param outside a folder that is `/srv/outside` there */
  constructor(outside: string) {
    this.#outside = outside;
    this.#folder = mkdtempSync(join(tmpdir(), 'holdfast-booted-'));
    for (const name of ['upper', 'work', 'root']) mkdirSync(join(this.#folder, name));
  }

  /** True where this user may mount file systems, and systemd with its D-Bus is installed. */
  static get isPossible(): boolean {
    const packages = ['systemd', 'libpam-systemd', 'dbus', 'dbus-user-session'];
    return BareRoot.isPossible && spawnSync('dpkg', ['--status', ...packages]).status === 0;
  }

  /** Ends when systemd has started everything. */
  async boot(): Promise<void> {
    const words = ['--mount', '--pid', '--uts', '--ipc', '--cgroup', '--net', '--fork', '--kill-child'];
    const unshare = ['unshare', ...words, '--propagation', 'private', 'sh', '-c', BOOT, 'sh'];
    this.#computer = spawn(
      'unshare',
      ['--mount', '--propagation', 'private', ...this.#shell(ENTER), ...unshare, this.#folder, this.#outside],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    // Before it is systemd, it is a shell that mounts, and has other children.
    while (this.#systemd === 0) {
      await this.#wait();
      this.#systemd = childrenOf(this.#computer.pid!).find((child) => nameOf(child) === 'systemd') ?? 0;
    }
    for (let state = ''; !/running|degraded/.test(state); await this.#wait())
      state = (await this.run('systemctl is-system-running')).output;
  }

  /** Stops everything as a computer does that is switched off. */
  async shutDown(): Promise<void> {
    const ended = once(this.#computer!, 'exit');
    await this.run('systemctl poweroff');
    await ended;
    this.#computer = undefined;
    this.#systemd = 0;
  }

  /** Runs commands as root, outside of any session. */
  async run(script: string): Promise<ScriptEnd> {
    const words = ['--all', '--target', String(this.#systemd), 'env', '-i', 'HOME=/root', 'LC_ALL=C.UTF-8', 'TZ=UTC'];
    const path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    const child = spawn('nsenter', [...words, path, 'sh', '-c', `{\ncd\n${script}\n} 2>&1`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const output: string[] = [];
    child.stdout.setEncoding('utf8').on('data', (text: string) => output.push(text));
    const [status] = (await once(child, 'close')) as [number];
    return { status, output: output.join('').trim() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#computer) {
      const ended = once(this.#computer, 'exit');
      this.#computer.kill('SIGKILL');
      await ended;
    }
    spawnSync('unshare', ['--mount', '--propagation', 'private', ...this.#shell(REMOVE)]);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #shell(script: string): readonly string[] {
    return ['sh', '-c', script, 'sh', this.#folder, String(process.pid)];
  }

  async #wait(): Promise<void> {
    if (this.#computer?.exitCode !== null) throw new Error('systemd has not started');
    await sleep(100);
  }
}

function childrenOf(pid: number): readonly number[] {
  return readIfThere(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

function nameOf(pid: number): string {
  return readIfThere(`/proc/${pid}/comm`).trim();
}

/** Of a process that may have ended. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
