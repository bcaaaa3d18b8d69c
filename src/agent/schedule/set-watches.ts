import { entryPathOf } from '../../engine/filesystem/entry-path.ts';
import { ChangeWatcher } from '../../engine/scan/watch/change-watcher.ts';
import type { ConfiguredSet } from '../../ipc/contract/configured-set.ts';
import { ownFoldersWithin } from '../sets/own-folders.ts';
import { ownFolders } from '../sets/own-folders.ts';
import { requireSettings } from '../home/settings.ts';
import type { SchedulerOptions, Watcher } from './ports.ts';

interface Watch {
  readonly watcher: Watcher;
  /** What it was made for, as JSON: another set under the same name is watched anew. */
  readonly of: string;
}

/** Keeps a watcher for each set that is backed up on change. */
export class SetWatches implements AsyncDisposable {
  readonly #options: Pick<SchedulerOptions, 'home' | 'clock' | 'watch'>;
  readonly #onChange: (set: string) => void;
  readonly #watches = new Map<string, Watch>();
  readonly #closing = new Set<Promise<void>>();

  /** @param onChange called with every change, and with everything that may have changed unheard */
  constructor(options: Pick<SchedulerOptions, 'home' | 'clock' | 'watch'>, onChange: (set: string) => void) {
    this.#options = options;
    this.#onChange = onChange;
  }

  /** From now on these sets are watched, and no others. */
  follow(sets: readonly ConfiguredSet[]): void {
    const wanted = new Map(sets.map((set) => [set.name, set]));
    for (const [name, watch] of this.#watches) {
      const set = wanted.get(name);
      if (!set || watch.of !== keyOf(set)) this.#end(name, watch);
    }
    for (const [name, set] of wanted) if (!this.#watches.has(name)) this.#begin(set);
  }

  /** Whether changes of a set may go unheard. */
  isPartial(set: string): boolean {
    return this.#watches.get(set)?.watcher.limitation !== undefined;
  }

  /** Entry paths of folders in which something is known to have changed; begins anew. */
  take(set: string): readonly string[] {
    return this.#watches.get(set)?.watcher.take()?.directories ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const [name, watch] of this.#watches) this.#end(name, watch);
    await Promise.all(this.#closing);
  }

  #begin(set: ConfiguredSet): void {
    const { name } = set;
    const heard = (): void => this.#onChange(name);
    const watch = { watcher: this.#watcher(set, heard), of: keyOf(set) };
    this.#watches.set(name, watch);
    // What changed before it is heard of, while nobody watched.
    heard();
    void this.#hearOnceReady(name, watch);
  }

  async #hearOnceReady(name: string, watch: Watch): Promise<void> {
    await watch.watcher.ready;
    if (this.#watches.get(name) === watch) this.#onChange(name);
  }

  #watcher(set: ConfiguredSet, heard: () => void): Watcher {
    const { home, clock, watch } = this.#options;
    if (watch) return watch(set, heard);
    const own = ownFoldersWithin(set.roots, ownFolders(home, requireSettings(home))).map(entryPathOf);
    return new ChangeWatcher({ ...set, ownFolders: own }, clock, heard);
  }

  #end(name: string, { watcher }: Watch): void {
    this.#watches.delete(name);
    const closing = Promise.resolve(watcher[Symbol.asyncDispose]()).finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}

function keyOf({ roots, excludes, presets, oneFileSystem }: ConfiguredSet): string {
  return JSON.stringify([roots, excludes, presets, oneFileSystem]);
}
