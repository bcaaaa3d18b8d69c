import { resolve } from 'node:path';
import { mountFuse } from '../../../engine/fuse/mount.ts';
import { MountedFileSystem } from '../../../engine/restore/mount/mounted-file-system.ts';
import { PointCaches } from '../../../engine/restore/mount/mounted-point.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import { MountedDevices } from './mounted-devices.ts';
import { MountedSets } from './mounted-sets.ts';

export interface MountOptions {
  /** A set with its restore points; all sets of all devices by default. */
  readonly set?: string;
  readonly device?: string;
  /** An empty folder. */
  readonly mountpoint: string;
  /** True if all users may read what the permissions of a file allow. */
  readonly isForOthers: boolean;
}

export interface MountObserver {
  /** Everything can be read from now on. @param mountpoint absolute */
  onMounted(mountpoint: string): void;
  /** It was asked to end while a program uses it, and ends when that no longer does. */
  onBusy(): void;
  /** A program got an error. */
  onError(error: unknown): void;
}

/** How often a busy mount is tried to be ended. */
const BUSY_MS = 500;

/**
 * Mounts restore points as a read-only file system until the signal is aborted or somebody unmounts it.
 *
 * @throws HoldfastError `mount_failed`, `set_unknown`, and what the destination throws
 */
export async function mount(
  parts: AgentParts,
  { set, device, mountpoint: given, isForOthers }: MountOptions,
  observer: MountObserver,
  signal: AbortSignal,
): Promise<void> {
  const mountpoint = resolve(given);
  const ending = new AbortController();
  await using sets = new MountedSets(parts, new PointCaches(), ending.signal);
  const root =
    set === undefined
      ? new MountedDevices(parts, sets)
      : sets.set('', { set, ...(device === undefined ? {} : { device }) });
  // What is wrong with the destination is said before anything is mounted.
  await root.list(signal);
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  // Who is not root could not read what others own, although the keys open it.
  const owner = own.uid === 0 || isForOthers ? undefined : own;
  const files = new MountedFileSystem(root, owner, own);
  const mounted = await mountFuse({ mountpoint, isForOthers, files, onError: (error) => observer.onError(error) });
  observer.onMounted(mountpoint);
  const onAbort = (): void => void unmount();
  const unmount = async (): Promise<void> => {
    for (let isFirst = true; (await mounted.unmount()) === 'busy'; isFirst = false) {
      if (isFirst) observer.onBusy();
      await parts.clock.sleep(BUSY_MS);
    }
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    await mounted.ended;
  } finally {
    signal.removeEventListener('abort', onAbort);
    ending.abort();
  }
}
