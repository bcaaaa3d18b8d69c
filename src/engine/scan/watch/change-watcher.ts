import { existsSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { watch, type FSWatcher } from 'chokidar';
import type { Clock } from '../../../base/clock.ts';
import { systemCodeOf } from '../../../base/errors.ts';
import { entryPathOf } from '../../filesystem/entry-path.ts';
import { Exclusion, IGNORE_FILE, type ExclusionScope } from '../exclusion.ts';
import { ChangeCollection, type Changes } from './changes.ts';

/** Why not every folder is watched: the system's limit for watches, its limit for open files, or our own. */
export type WatchLimitation = 'watch-limit' | 'open-files-limit' | 'too-many-folders';

export interface WatchedSet {
  /** Absolute paths of this operating system. */
  readonly roots: readonly string[];
  /** Patterns in gitignore syntax, relative to each root. */
  readonly excludes: readonly string[];
  readonly presets: readonly string[];
  /** Entry paths of Holdfast's own folders, which are never looked at. */
  readonly ownFolders: readonly string[];
}

/** A watched folder costs about 6 kB, and a whole run has to stay below 350 MB. */
const MOST_FOLDERS = 5000;

const LIMITATIONS: Readonly<Record<string, WatchLimitation>> = {
  ENOSPC: 'watch-limit',
  EMFILE: 'open-files-limit',
  ENFILE: 'open-files-limit',
};

/**
 * Hears of changes below the roots of a set, except in what the set leaves out. It only says where to look first and
 * when: events get lost, and a name that is no valid UTF-8 cannot be watched. It never throws; `limitation` says when parts
 * are not watched.
 */
export class ChangeWatcher implements AsyncDisposable {
  readonly #changes = new ChangeCollection();
  readonly #roots: ReadonlySet<string>;
  readonly #exclusion: Exclusion;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #onChange: () => void;
  /** By the system's path. */
  readonly #scopes = new Map<string, ExclusionScope>();
  readonly #folders = new Set<string>();
  readonly #watcher: FSWatcher;
  /** Resolves when changes anywhere are heard of from now on, as far as they can be. */
  readonly ready: Promise<void>;
  #limitation: WatchLimitation | undefined;

  /** @param onChange called with every change; the time of a change is the time at which it was heard of */
  constructor(set: WatchedSet, clock: Pick<Clock, 'now'>, onChange: () => void) {
    this.#roots = new Set(set.roots);
    this.#exclusion = new Exclusion(set.excludes, set.presets, set.ownFolders);
    this.#clock = clock;
    this.#onChange = onChange;
    // Only folders are watched: one tells of its files, too, and a watch for each file would soon be too many.
    this.#watcher = watch([...set.roots], {
      ignoreInitial: true,
      followSymlinks: false,
      ignorePermissionErrors: true,
      ignored: (path, stats) => this.#isIgnored(path, stats),
    });
    this.#watcher.on('error', (error) => this.#fail(error));
    this.#watcher.on('raw', (_, name, details) => this.#hear((details as { watchedPath: string }).watchedPath, name));
    // What was in a folder when it came is in no event of it.
    this.#watcher.on('addDir', (path) => this.#take(path));
    this.ready = new Promise((resolve) => {
      this.#watcher.on('ready', resolve);
    });
  }

  get limitation(): WatchLimitation | undefined {
    return this.#limitation;
  }

  pending(): Changes | undefined {
    return this.#changes.pending();
  }

  take(): Changes | undefined {
    return this.#changes.take();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watcher.close();
  }

  /** Asked without `stats` first, where nothing can be said. */
  #isIgnored(path: string, stats: Stats | undefined): boolean {
    if (!stats || this.#roots.has(path)) return false;
    if (!stats.isDirectory() || this.#isExcluded(path, true)) return true;
    if (this.#folders.has(path)) return false;
    if (this.#folders.size >= MOST_FOLDERS) {
      this.#limitation ??= 'too-many-folders';
      return true;
    }
    this.#folders.add(path);
    return false;
  }

  /** @param folder that was watched: it, or the entry `name` in it, changed */
  #hear(folder: string, name: string | null): void {
    if (name === IGNORE_FILE) this.#scopes.clear();
    else if (typeof name === 'string' && this.#isExcluded(join(folder, name), false)) return;
    this.#take(folder);
  }

  #take(folder: string): void {
    this.#changes.add(entryPathOf(folder), this.#clock.now());
    this.#onChange();
  }

  #isExcluded(path: string, isDirectory: boolean): boolean {
    return this.#exclusion.excludes(this.#scopeOf(dirname(path)), entryPathOf(path), isDirectory) !== undefined;
  }

  #scopeOf(folder: string): ExclusionScope {
    const known = this.#scopes.get(folder);
    if (known) return known;
    const parent = dirname(folder);
    const isRoot = this.#roots.has(folder) || parent === folder;
    const outer = isRoot ? this.#exclusion.rootScope(entryPathOf(folder)) : this.#scopeOf(parent);
    const scope = this.#enter(outer, folder);
    this.#scopes.set(folder, scope);
    return scope;
  }

  #enter(outer: ExclusionScope, folder: string): ExclusionScope {
    try {
      return this.#exclusion.enter(outer, entryPathOf(folder), existsSync(join(folder, IGNORE_FILE)));
    } catch {
      // A run names the file that it cannot read.
      return outer;
    }
  }

  #fail(error: unknown): void {
    this.#limitation ??= LIMITATIONS[systemCodeOf(error) ?? ''];
  }
}
