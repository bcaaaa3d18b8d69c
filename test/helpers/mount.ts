import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Running } from '../system/e2e/workplace.ts';

/** Whether file systems can be mounted here: Linux with /dev/fuse, fusermount3, and the right to. */
export const HAS_FUSE =
  existsSync('/dev/fuse') &&
  spawnSync('fusermount3', ['--version'], { stdio: 'ignore' }).status === 0 &&
  // A container may have both without the right.
  spawnSync('unshare', ['-m', 'true'], { stdio: 'ignore' }).status === 0;

/** Whether this process may mount file systems: root, outside of most containers. */
export const CAN_MOUNT = canMount();

function canMount(): boolean {
  if (process.platform !== 'linux') return false;
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-mount-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', folder]).status === 0;
  if (mounted) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true });
  return mounted;
}

/** Mounts a new, empty disk in memory on a folder. @throws if that fails */
export function mountDisk(folder: string): void {
  run('mount', '-t', 'tmpfs', '-o', 'size=1m', 'none', folder);
}

/** Whether file systems with subvolumes can be made here. */
export const HAS_BTRFS =
  CAN_MOUNT &&
  readFileSync('/proc/filesystems', 'utf8').includes('btrfs') &&
  spawnSync('mkfs.btrfs', ['--version'], { stdio: 'ignore' }).status === 0;

/** Mounts a new, empty file system with subvolumes on a folder, whose disk is a file. @throws if that fails */
export function mountBtrfs(folder: string, file: string): void {
  run('truncate', '-s', '120M', file);
  run('mkfs.btrfs', '-q', file);
  run('mount', '-o', 'loop', file, folder);
}

/** Whether images of ext4 can be made and mounted here. */
export const HAS_EXT4 =
  CAN_MOUNT &&
  readFileSync('/proc/filesystems', 'utf8').includes('ext4') &&
  spawnSync('mkfs.ext4', ['-V'], { stdio: 'ignore' }).status === 0 &&
  spawnSync('debugfs', ['-V'], { stdio: 'ignore' }).status === 0;

/** Makes an image with the files of a folder, all of which changed at one time, as a reproducible build makes them. Returns its path. @throws if that fails */
export function ext4Image(folder: string, file: string, seconds: number): string {
  run('truncate', '-s', '4M', file);
  run('mkfs.ext4', '-q', '-d', folder, file);
  for (const name of readdirSync(folder)) {
    for (const field of ['ctime', 'mtime']) {
      run('debugfs', '-w', '-R', `set_inode_field ${name} ${field} @${seconds}`, file);
      run('debugfs', '-w', '-R', `set_inode_field ${name} ${field}_extra 0`, file);
    }
  }
  return file;
}

/** @throws if that fails */
export function mountImage(file: string, folder: string): void {
  run('mount', '-o', 'loop', file, folder);
}

/** Does something with a subvolume: `create PATH`, `snapshot PATH NEW`. @throws if that fails */
export function subvolume(...args: readonly string[]): void {
  run('btrfs', 'subvolume', ...args);
}

/** Mounts a folder on another one. @throws if that fails */
export function bindFolder(folder: string, on: string): void {
  run('mount', '--bind', folder, on);
}

/** @throws if that fails */
export function unmount(folder: string): void {
  run('umount', folder);
}

/** Unmounts everything on and in a folder. */
export function unmountAll(folder: string): void {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const inside = mounts
    .map((line) => line.split(' ')[1]?.replaceAll('\\040', ' ') ?? '')
    .filter((path) => path.startsWith(folder));
  for (const path of inside.toReversed()) spawnSync('umount', ['-l', path]);
}

function run(program: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
}

/** Returns whether something is mounted at a folder. */
export function isMounted(folder: string): boolean {
  return readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .some((line) => line.split(' ')[1] === folder);
}

/** Waits until `holdfast mount` says that everything can be read. */
export async function untilMounted({ child, ended }: Running): Promise<void> {
  const lines = createInterface({ input: child.stdout! });
  const first = once(lines, 'line') as Promise<[string]>;
  const failed = ended.then(({ status, stderr }) => {
    throw new Error(`holdfast mount ended with ${status}: ${stderr}`);
  });
  failed.catch(() => undefined);
  await Promise.race([first, failed]);
}
