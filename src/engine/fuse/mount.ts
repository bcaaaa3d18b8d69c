import { spawn } from 'node:child_process';
import { closeSync, existsSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import type { ErrorDetails } from '../../base/errors/error-details.ts';
import { HoldfastError, systemCodeOf } from '../../base/errors/errors.ts';
import type { FuseFileSystem } from './file-system.ts';
import { mountList } from '../filesystem/mount-list.ts';
import { nativeFuse, type NativeFuse } from './native.ts';
import { FuseSession } from './session.ts';

export interface MountRequest {
  /** Absolute path of an existing, empty folder. */
  readonly mountpoint: string;
  /** True if all users may read what the permissions of a file allow, not only the one who mounts. */
  readonly isForOthers: boolean;
  readonly files: FuseFileSystem;
  /** Receives errors that programs see as EIO. */
  readonly onError: (error: unknown) => void;
}

export interface Mounted {
  /** Resolves when the file system is unmounted, by `unmount` or by somebody else. */
  readonly ended: Promise<void>;
  /** Returns `busy` if a program uses a file or folder in it, which then stays mounted. */
  unmount(): Promise<'unmounted' | 'busy'>;
  /** Takes it out of the folder tree at once; programs that use it get errors. */
  detach(): Promise<void>;
}

/** Version 3 of FUSE's program first; version 2 takes the same options. */
const PROGRAMS = ['fusermount3', 'fusermount'] as const;
const OPTIONS = 'ro,nosuid,nodev,noexec,noatime,default_permissions,fsname=holdfast,subtype=holdfast';

/**
 * Waits for the end of its input, which is the end of this process, and unmounts. The option `auto_unmount` does not do so for ordinary users:
 * `fusermount3` runs as root then, which may not look at a mount of theirs.
 */
const GUARD = `trap '' HUP INT TERM; read -r _; exec "$0" -u -z -- "$1"`;

/**
 * Mounts a file system. If this process is killed, it is unmounted.
 *
 * @throws HoldfastError `mount_failed`
 */
export async function mountFuse({ mountpoint: given, isForOthers, files, onError }: MountRequest): Promise<Mounted> {
  const problem = (name: MountProblem, detail?: string): HoldfastError =>
    new HoldfastError('mount_failed', {
      mountpoint: given,
      problem: name,
      ...(detail === undefined ? {} : { detail }),
    });
  if (process.platform !== 'linux') throw problem('system');
  if (!existsSync('/dev/fuse')) throw problem('device');
  await checkMountpoint(given, problem);
  // The program refuses a link, which could lead elsewhere by the time of the end.
  const mountpoint = await realpath(given);
  const native = nativeFuse();
  const options = isForOthers ? `${OPTIONS},allow_other` : OPTIONS;
  const started = await startMounting(native, ['-o', options, '--', mountpoint]);
  if (started.kind === 'missing') throw problem('program');
  if (started.kind === 'refused') {
    // The setting of fuse.conf(5), which it names.
    if (isForOthers && started.message.includes('user_allow_other')) throw problem('not-for-others');
    throw problem('refused', started.message);
  }
  const device = deviceAt(mountpoint);
  const session = new FuseSession({ native, device: started.device, files, onError });
  const guard = spawn('sh', ['-c', GUARD, started.program, mountpoint], {
    // In a session of its own: what ends this process by its terminal does not end it.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', onError);
  guard.unref();
  const ended = session.serve().finally(() => guard.kill('SIGKILL'));
  // Its failure is the caller's when it waits for the end.
  ended.catch(() => undefined);
  return {
    ended,
    async unmount() {
      const { code, message } = await run(started.program, ['-u', '--', placeOf(device) ?? mountpoint]);
      if (code === 0) return 'unmounted';
      // Before it comes the path, which may have any words.
      if (/: Device or resource busy\s*$/.test(message)) return 'busy';
      // It was unmounted meanwhile.
      session.end();
      return 'unmounted';
    },
    async detach() {
      await run(started.program, ['-u', '-z', '--', placeOf(device) ?? mountpoint]);
      session.end();
    },
  };
}

/** Returns what the kernel calls the file system at a path; `undefined` if nothing is mounted there any more. */
function deviceAt(mountpoint: string): string | undefined {
  return mountList().findLast(({ path }) => path.equals(Buffer.from(mountpoint)))?.device;
}

/** Returns where a file system is mounted now: a folder above it may have been moved. */
function placeOf(device: string | undefined): string | undefined {
  return mountList()
    .find((mount) => mount.device === device)
    ?.path.toString();
}

export type MountProblem = ErrorDetails['mount_failed']['problem'];

async function checkMountpoint(mountpoint: string, problem: (name: MountProblem) => HoldfastError): Promise<void> {
  try {
    if ((await readdir(mountpoint)).length > 0) throw problem('not-empty');
  } catch (error) {
    const code = systemCodeOf(error);
    // What the kernel answers for a file system whose process has ended.
    if (code === 'ENOTCONN') throw problem('stale');
    if (code === 'ENOENT' || code === 'ENOTDIR') throw problem('missing');
    if (code !== 'EACCES') throw error;
  }
}

type Started =
  | { readonly kind: 'mounted'; readonly program: string; readonly device: number }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly message: string };

async function startMounting(native: NativeFuse, words: readonly string[]): Promise<Started> {
  for (const program of PROGRAMS) {
    const started = await startProgram(native, program, words);
    if (started.kind !== 'missing') return started;
  }
  return { kind: 'missing' };
}

/** Passes a socket to the program, which sends the descriptor of /dev/fuse through it. */
async function startProgram(native: NativeFuse, program: string, words: readonly string[]): Promise<Started> {
  const [own, others] = native.socketPair();
  const child = spawn(program, words, {
    stdio: ['ignore', 'ignore', 'pipe', others],
    env: { ...process.env, LC_ALL: 'C', _FUSE_COMMFD: '3' },
  });
  const errors = child.stderr!;
  let message = '';
  errors.setEncoding('utf8').on('data', (text: string) => (message = (message + text).slice(0, MOST_MESSAGE)));
  const isStarted = new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true)).once('error', () => resolve(false));
  });
  const started = await isStarted;
  closeSync(others);
  if (!started) {
    closeSync(own);
    return { kind: 'missing' };
  }
  const ending = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await native.waitReadable([own]);
  const device = native.receiveDescriptor(own);
  await ending;
  closeSync(own);
  if (device === undefined) {
    return { kind: 'refused', message: message.trim().split('\n').at(-1) ?? '' };
  }
  return { kind: 'mounted', program, device };
}

const MOST_MESSAGE = 4096;

function run(program: string, words: readonly string[]): Promise<{ readonly code: number; readonly message: string }> {
  return new Promise((resolve) => {
    const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, LC_ALL: 'C' } });
    let message = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (message = (message + text).slice(0, MOST_MESSAGE)));
    child.once('error', (error) => resolve({ code: 1, message: String(error) }));
    child.once('close', (code) => resolve({ code: code ?? 1, message }));
  });
}
