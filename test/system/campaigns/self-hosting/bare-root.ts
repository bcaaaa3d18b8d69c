import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** Files that a container has from outside. */
const FROM_OUTSIDE = ['/etc/resolv.conf', '/etc/hosts', '/etc/hostname'];

/** Begins the line that reports the end of a script. */
const END = '@@end';

/** Mounts this computer's files below DIR/root: what is changed there goes into memory, and processes end with the first one. */
const MOUNT = `
set -e
cd "$1"
mount -t tmpfs -o size=6g,mode=0755 tmpfs .
cd "$1"
mkdir upper work root
mount -t overlay overlay -o lowerdir=/,upperdir=upper,workdir=work root
mount -t proc proc root/proc
for name in sys dev; do mount --rbind /$name root/$name; done
cp "$2"/* root/etc/
mkdir -p root/srv/outside
mount --bind "$3" root/srv/outside
# Not by chroot alone, in which nobody may make the user namespaces of a sandbox.
mkdir root/.outer
cd root
pivot_root . .outer
umount -l /.outer
rmdir /.outer
exec chroot . /bin/sh`;

/** The result of a script. */
export interface ScriptEnd {
  readonly status: number;
  /** What it printed, errors included. */
  readonly output: string;
}

/** A Debian like this one in which everything may be changed: files, users and processes are gone afterwards. */
export class BareRoot implements AsyncDisposable {
  readonly #folder: string;
  readonly #shell: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;

  private constructor(folder: string, shell: ChildProcessByStdio<Writable, Readable, null>) {
    this.#folder = folder;
    this.#shell = shell;
    this.#lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]();
  }

  /** True where this user may mount file systems, and the kernel has overlays. */
  static get isPossible(): boolean {
    return process.getuid?.() === 0 && readFileSync('/proc/filesystems', 'utf8').includes('\toverlay');
  }

  /** @param outside a folder that is `/srv/outside` there */
  static start(outside: string): BareRoot {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-bare-'));
    const files = join(folder, 'files');
    mkdirSync(files);
    for (const file of FROM_OUTSIDE) copyFileSync(file, join(files, file.split('/').at(-1)!));
    const root = join(folder, 'root');
    mkdirSync(root);
    const words = ['--mount', '--pid', '--fork', '--kill-child', '--propagation', 'private'];
    const shell = spawn('unshare', [...words, 'sh', '-c', MOUNT, 'sh', root, files, outside], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: {
        PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        HOME: '/root',
        TZ: 'UTC',
        LC_ALL: 'C.UTF-8',
      },
    });
    return new BareRoot(folder, shell);
  }

  /** Runs commands in the shell that all of them share, so that its folder and its variables stay. */
  async run(script: string): Promise<ScriptEnd> {
    this.#shell.stdin.write(`{\n${script}\n} 2>&1 </dev/null\necho "${END} $?"\n`);
    const output: string[] = [];
    for (;;) {
      const next = await this.#lines.next();
      if (next.done === true) throw new Error(`the shell has ended:\n${output.join('\n')}`);
      if (next.value.startsWith(END))
        return { status: Number(next.value.slice(END.length)), output: output.join('\n') };
      output.push(next.value);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#shell, 'exit');
    this.#shell.stdin.end();
    this.#shell.kill('SIGKILL');
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
