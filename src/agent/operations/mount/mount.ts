import { targetPath } from '../../input/local-path.ts';
import { Catalog } from '../../../catalog/catalog.ts';
import { mountFuse } from '../../../os/fuse/mount.ts';
import { ReadingJob } from '../../../jobs/reading-job.ts';
import type { MountReport } from '../../../mount/mount-report.ts';
import { MountedFileSystem } from '../../../mount/mounted-file-system.ts';
import { PointCaches } from '../../../mount/mounted-point.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import { requireSettings } from '../../home/settings.ts';
import { MountedDevices } from './mounted-devices.ts';
import { MountedSets } from './mounted-sets.ts';

export interface MountOptions {
  /** A set with its restore points; all sets of all devices by default. */
  readonly set?: string;
  readonly device?: string | undefined;
  /** An empty folder. */
  readonly mountpoint: string;
  /** True if all users may read what the permissions of a file allow. */
  readonly isForOthers: boolean;
  /** Recorded in the journal, as the caller calls it. */
  readonly trigger?: string;
}

export interface MountRun {
  /** Everything can be read from now on. @param mountpoint absolute */
  onMounted(mountpoint: string): void;
  /** It was asked to end while a program uses it, and ends when that no longer does. */
  onBusy(): void;
  /** A program got an error. */
  onError(error: unknown): void;
  /** Ends the mount once no program uses it any more. */
  readonly signal: AbortSignal;
  /** Ends it at once: programs that use it get errors. */
  readonly detach?: AbortSignal;
}

/** How often a busy mount is tried to be ended. */
const BUSY_MS = 500;

/**
 * Mounts restore points as a read-only file system until it is ended or somebody unmounts it, and records that.
 *
 * @throws HoldfastError `mount_failed`, `set_unknown`, and what the destination throws
 */
export async function mount(
  parts: AgentParts,
  { set, device, mountpoint: given, isForOthers, trigger }: MountOptions,
  run: MountRun,
): Promise<MountReport> {
  const { signal, detach } = run;
  const settings = requireSettings(parts.home, parts.destination);
  const mountpoint = targetPath(given);
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
  const report = { mountpoint, errors: 0 };
  const onError = (error: unknown): void => {
    report.errors += 1;
    run.onError(error);
  };
  using catalog = new Catalog(parts.home.catalogFile);
  const mounted = await mountFuse({ mountpoint, isForOthers, files, onError });
  let job: ReadingJob;
  try {
    const request = { mountpoint };
    const newJob = { kind: 'mount', backupSet: set ?? '', destination: settings.id, trigger, request } as const;
    job = new ReadingJob(catalog.journal, parts.clock, newJob);
  } catch (error) {
    await mounted.detach();
    throw error;
  }
  job.reading();
  run.onMounted(mountpoint);
  const onDetach = (): void => void mounted.detach();
  const isDetached = (): boolean => detach?.aborted === true;
  const unmount = async (): Promise<void> => {
    for (let isFirst = true; !isDetached() && (await mounted.unmount()) === 'busy'; isFirst = false) {
      if (isFirst) run.onBusy();
      await parts.clock.sleep(BUSY_MS);
    }
  };
  const onAbort = (): void => void unmount();
  signal.addEventListener('abort', onAbort, { once: true });
  detach?.addEventListener('abort', onDetach, { once: true });
  if (isDetached()) onDetach();
  else if (signal.aborted) onAbort();
  try {
    return await job.record(async () => {
      await mounted.ended;
      return { report, warnings: report.errors };
    });
  } finally {
    signal.removeEventListener('abort', onAbort);
    detach?.removeEventListener('abort', onDetach);
    ending.abort();
  }
}
