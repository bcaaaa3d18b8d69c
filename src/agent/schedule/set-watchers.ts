import { entryPathOf } from '../../os/filesystem/names/entry-path.ts';
import { ChangeWatcher } from '../../archive/scan/watch/change-watcher.ts';
import { requireSettings } from '../home/settings.ts';
import type { ConfiguredSet } from '../../model/set.ts';
import { ownFolders, ownFoldersWithin } from '../sets/own-folders.ts';
import type { SchedulerOptions, Watcher } from './ports.ts';

interface WatchedSet {
  readonly watcher: Watcher;
  /** The watched rules of the set, as JSON. A change of them needs a new watcher. */
  readonly key: string;
}

/** One watcher for each set that is backed up on change. */
export class SetWatchers implements AsyncDisposable {
  readonly #watch: NonNullable<SchedulerOptions['watch']>;
  readonly #onChange: (set: string) => void;
  readonly #watched = new Map<string, WatchedSet>();
  readonly #closing = new Set<Promise<void>>();

  /** @param onChange called for every change, and when changes may have gone unnoticed */
  constructor(options: Pick<SchedulerOptions, 'home' | 'clock' | 'watch'>, onChange: (set: string) => void) {
    this.#watch = options.watch ?? watchFiles(options);
    this.#onChange = onChange;
  }

  /** Watches these sets from now on, and no others. */
  follow(sets: readonly ConfiguredSet[]): void {
    const wanted = new Map(sets.map((set) => [set.name, set]));
    for (const [name, watched] of this.#watched) {
      const set = wanted.get(name);
      if (!set || watched.key !== keyOf(set)) this.#end(name, watched);
    }
    for (const [name, set] of wanted) if (!this.#watched.has(name)) this.#begin(set);
  }

  /** Returns `true` if some changes of a set may go unnoticed. */
  isPartial(set: string): boolean {
    return this.#watched.get(set)?.watcher.limitation !== undefined;
  }

  /** Returns the entry paths of folders with known changes since the last call. */
  take(set: string): readonly string[] {
    return this.#watched.get(set)?.watcher.take()?.directories ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const [name, watched] of this.#watched) this.#end(name, watched);
    await Promise.all(this.#closing);
  }

  #begin(set: ConfiguredSet): void {
    const { name } = set;
    const changed = (): void => this.#onChange(name);
    const watched = { watcher: this.#watch(set, changed), key: keyOf(set) };
    this.#watched.set(name, watched);
    // The set may have changed while nothing watched it.
    changed();
    void this.#reportOnceReady(name, watched);
  }

  async #reportOnceReady(name: string, watched: WatchedSet): Promise<void> {
    await watched.watcher.ready;
    if (this.#watched.get(name) === watched) this.#onChange(name);
  }

  #end(name: string, { watcher }: WatchedSet): void {
    this.#watched.delete(name);
    const closing = Promise.resolve(watcher[Symbol.asyncDispose]()).finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}

/** Returns a function that watches the folders of a set, except for Holdfast's own. */
export function watchFiles({
  home,
  clock,
}: Pick<SchedulerOptions, 'home' | 'clock'>): NonNullable<SchedulerOptions['watch']> {
  return (set, changed) => {
    const own = ownFoldersWithin(set.roots, ownFolders(home, requireSettings(home))).map(entryPathOf);
    return new ChangeWatcher({ ...set, ownFolders: own }, clock, changed);
  };
}

function keyOf({ roots, excludes, presets, oneFileSystem }: ConfiguredSet): string {
  return JSON.stringify([roots, excludes, presets, oneFileSystem]);
}
