import { type HoldfastError, isHoldfastError } from '../../base/errors/errors.ts';
import { entryPathOf } from '../../os/filesystem/names/entry-path.ts';
import type { BackupProgress } from '../../jobs/progress.ts';
import { ChangeWatcher, type WatchLimitation } from '../../archive/scan/watch/change-watcher.ts';
import type { WatchTiming } from '../../archive/scan/watch/next-run.ts';
import { WatchLoop } from '../../archive/scan/watch/watch-loop.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import { requireSettings } from '../home/settings.ts';
import { ownFolders, ownFoldersWithin } from '../sets/own-folders.ts';
import { backUp, type BackupOptions } from './backup/backup.ts';
import type { BackupResult } from './backup/backup-result.ts';
import { requireSet } from './sets.ts';

export interface WatchOptions extends Omit<BackupOptions, 'dryRun' | 'endsWithRun'> {
  readonly pace: WatchTiming;
}

/** Receives the progress and the results of the runs. */
export interface WatchObserver {
  onProgress(progress: BackupProgress): void;
  /** @param trouble the reason why some changes go unnoticed */
  onReport(report: BackupResult, trouble: WatchLimitation | undefined): Promise<void>;
  /** Called when a run after the first has failed. Another one will follow. */
  onFailure(error: HoldfastError): void;
}

export interface WatchRun {
  readonly observer: WatchObserver;
  /** Ends the watching. */
  readonly signal: AbortSignal;
}

/** Failures that persist in every later run. */
const FINAL = ['set_unknown', 'destination_unknown', 'not_set_up', 'home_damaged'] as const;

/**
 * Backs up a set now and after every change in it, until `signal` is aborted.
 *
 * @throws what `backUp` throws in the first run; later `set_unknown`, `not_set_up`, `home_damaged`
 */
export async function watchSet(
  parts: AgentParts,
  options: WatchOptions,
  { observer, signal }: WatchRun,
): Promise<void> {
  const settings = requireSettings(parts.home);
  const set = requireSet(settings, options.set);
  const own = ownFoldersWithin(set.roots, ownFolders(parts.home, settings)).map(entryPathOf);
  const loop = new WatchLoop(options.pace, parts.clock);
  await using watcher = new ChangeWatcher({ ...set, ownFolders: own }, parts.clock, loop.onChange);
  // The first run must see every change that the watcher misses.
  await Promise.race([watcher.ready, aborted(signal)]);
  let runs = 0;
  await loop.until(signal, watcher, async (first) => {
    runs += 1;
    try {
      const run = { signal, onProgress: (progress: BackupProgress) => observer.onProgress(progress) };
      await observer.onReport(await backUp(parts, { ...options, first }, run), watcher.limitation);
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
