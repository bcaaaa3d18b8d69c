import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import type { ErrorDetails } from '../../base/errors/error-codes.ts';
import { HoldfastError, systemCodeOf } from '../../base/errors/errors.ts';
import type { FuseFileSystem } from './file-system.ts';
import { nativeFuse, type NativeFuse } from './native.ts';
import { FuseSession } from './session.ts';
import { guardMount, unmount } from './unmount.ts';

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
  /** Returns `busy` if a program uses a file or folder in it, or something is mounted over it; it then stays mounted. */
  unmount(): Promise<'unmounted' | 'busy'>;
  /** Takes it out of the folder tree at once; programs that use it get errors. */
  detach(): Promise<void>;
}

/** Version 3 of FUSE's program first; version 2 takes the same options. */
const PROGRAMS = ['fusermount3', 'fusermount'] as const;
const OPTIONS = 'ro,nosuid,nodev,noexec,noatime,default_permissions,subtype=holdfast';

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
  if (isLossy(mountpoint)) throw problem('not-utf8');
  const native = nativeFuse();
  const source = `holdfast-${randomBytes(6).toString('hex')}`;
  const options = `${OPTIONS},fsname=${source}${isForOthers ? ',allow_other' : ''}`;
  const started = await startMounting(native, source, ['-o', options, '--', mountpoint], onError);
  if (started.kind === 'missing') throw problem('program');
  if (started.kind === 'refused') {
    // The setting of fuse.conf(5), which it names.
    if (isForOthers && started.message.includes('user_allow_other')) throw problem('not-for-others');
    throw problem('refused', started.message);
  }
  const session = new FuseSession({ native, device: started.device, files, onError });
  const { guard } = started;
  const name = { program: started.program, source };
  const ended = session.serve().finally(() => guard.kill('SIGKILL'));
  // Its failure is the caller's when it waits for the end.
  ended.catch(() => undefined);
  return {
    ended,
    async unmount() {
      const end = await unmount(name, false);
      if (end === 'busy') return 'busy';
      if (end === 'gone') session.end();
      return 'unmounted';
    },
    async detach() {
      await unmount(name, true);
      session.end();
    },
  };
}

export type MountProblem = ErrorDetails['mount_failed']['problem'];

async function checkMountpoint(mountpoint: string, problem: (name: MountProblem) => HoldfastError): Promise<void> {
  try {
    if ((await readdir(mountpoint)).length > 0) throw problem('not-empty');
  } catch (error) {
    const code = systemCodeOf(error);
    // What the kernel answers for a file system whose process has ended.
    if (code === 'ENOTCONN') throw problem('stale');
    if (code === 'ENOENT' || code === 'ENOTDIR') throw problem(isLossy(mountpoint) ? 'not-utf8' : 'missing');
    if (code !== 'EACCES') throw error;
  }
}

/** Returns whether a path has lost bytes that are not UTF-8: neither Node nor the program that mounts would find it. */
function isLossy(path: string): boolean {
  return path.includes('\uFFFD') && !existsSync(path);
}

type Started =
  | { readonly kind: 'mounted'; readonly device: number }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly message: string };

type Guarded =
  | Exclude<Started, { readonly kind: 'mounted' }>
  | (Extract<Started, { readonly kind: 'mounted' }> & Guard);

interface Guard {
  readonly program: string;
  readonly guard: ChildProcess;
}

async function startMounting(
  native: NativeFuse,
  source: string,
  words: readonly string[],
  onError: (error: unknown) => void,
): Promise<Guarded> {
  for (const program of PROGRAMS) {
    // Before anything is mounted: this process may be killed at any time.
    const guard = guardMount({ program, source }).on('error', onError);
    const started = await startProgram(native, program, words);
    if (started.kind === 'mounted') return { ...started, program, guard };
    guard.kill('SIGKILL');
    if (started.kind === 'refused') return started;
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
  return { kind: 'mounted', device };
}

const MOST_MESSAGE = 4096;
