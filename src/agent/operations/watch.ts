import type { BackupReport } from '../../engine/backup/types.ts';
import { isHoldfastError, type HoldfastError } from '../../base/errors.ts';
import { entryPathOf } from '../../engine/filesystem/entry-path.ts';
import type { BackupProgress } from '../../engine/job/progress.ts';
import { ChangeWatcher, type WatchLimitation } from '../../engine/scan/watch/change-watcher.ts';
import type { WatchTiming } from '../../engine/scan/watch/next-run.ts';
import { WatchLoop } from '../../engine/scan/watch/watch-loop.ts';
import type { AgentParts, BackupOptions } from '../agent.ts';
import { ownFoldersWithin } from '../sets/new-set.ts';
import { ownFolders, requireSet, requireSettings } from '../sets/set-store.ts';
import { backUp } from './backup.ts';

export interface WatchOptions extends Omit<BackupOptions, 'dryRun' | 'endsWithRun'> {
  readonly pace: WatchTiming;
}

/** Told how the runs go. */
export interface WatchObserver {
  onProgress(progress: BackupProgress): void;
  /** @param trouble why not everything is watched */
  onReport(report: BackupReport, trouble: WatchLimitation | undefined): Promise<void>;
  /** A run after the first failed; there will be another. */
  onFailure(error: HoldfastError): void;
}

/** What no later run can overcome. */
const FINAL = ['set_unknown', 'not_set_up', 'home_damaged'] as const;

/**
 * Backs a set up now, and again whenever something changed in it, until `signal` is aborted.
 *
 * @throws what `backUp` throws in the first run; later `set_unknown`, `not_set_up`, `home_damaged`
 */
export async function watchSet(
  parts: AgentParts,
  name: string,
  options: WatchOptions,
  observer: WatchObserver,
  signal: AbortSignal,
): Promise<void> {
  const settings = requireSettings(parts.home);
  const set = requireSet(settings, name);
  const own = ownFoldersWithin(set.roots, ownFolders(parts.home, settings)).map(entryPathOf);
  const loop = new WatchLoop(options.pace, parts.clock);
  await using watcher = new ChangeWatcher({ ...set, ownFolders: own }, parts.clock, loop.onChange);
  // What changes before it is heard of has to be seen by the first run.
  await Promise.race([watcher.ready, aborted(signal)]);
  let runs = 0;
  await loop.until(signal, watcher, async (first) => {
    runs += 1;
    try {
      const run = { signal, onProgress: (progress: BackupProgress) => observer.onProgress(progress) };
      await observer.onReport(await backUp(parts, name, { ...options, first }, run), watcher.limitation);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      if (runs === 1 || !isHoldfastError(error) || FINAL.some((code) => isHoldfastError(error, code))) throw error;
      observer.onFailure(error);
      return false;
    }
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
