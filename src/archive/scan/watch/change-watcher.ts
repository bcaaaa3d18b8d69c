import type { Stats } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { watch, type FSWatcher } from 'chokidar';
import type { Clock } from '../../../base/clock.ts';
import { systemCodeOf } from '../../../base/errors/errors.ts';
import { entryPathOf } from '../../../os/filesystem/names/entry-path.ts';
import { realPathOf } from '../../../os/filesystem/real-path.ts';
import { isInside } from '../../../model/local-path.ts';
import { Exclusion, IGNORE_FILE, type ExclusionScope } from '../exclusion.ts';
import { ChangeCollection, type Changes } from './changes.ts';

/** Why not every folder is watched: the system's limit of watches or open files, or Holdfast's own limit. */
export type WatchLimitation = 'watch-limit' | 'open-files-limit' | 'too-many-folders';

export interface WatchedSet {
  /** Absolute paths of this operating system. */
  readonly roots: readonly string[];
  /** Patterns in gitignore syntax, relative to each root. */
  readonly excludes: readonly string[];
  readonly presets: readonly string[];
  /** Entry paths of Holdfast's own folders, which are never watched. */
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
 * Watches the roots of a set for changes, except in excluded folders. The result is a hint for the next run: events get
 * lost, and a name that is not valid UTF-8 cannot be watched. It never throws; `limitation` is set if parts are not watched.
 */
export class ChangeWatcher implements AsyncDisposable {
  readonly #changes = new ChangeCollection();
  readonly #roots: ReadonlySet<string>;
  /** The roots that are behind links, by the path that is watched. */
  readonly #behindLinks: ReadonlyMap<string, string>;
  readonly #exclusion: Exclusion;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #onChange: () => void;
  /** By path of the operating system. */
  readonly #scopes = new Map<string, ExclusionScope>();
  readonly #folders = new Set<string>();
  readonly #watcher: FSWatcher;
  /** Resolves when all folders that can be watched are watched. */
  readonly ready: Promise<void>;
  #limitation: WatchLimitation | undefined;

  /** @param onChange called for every change */
  constructor(set: WatchedSet, clock: Pick<Clock, 'now'>, onChange: () => void) {
    this.#roots = new Set(set.roots);
    const watched = set.roots.map((root) => [realPathOf(root), root] as const);
    this.#behindLinks = new Map(watched.filter(([real, root]) => real !== root));
    this.#exclusion = new Exclusion(set.excludes, set.presets, set.ownFolders);
    this.#clock = clock;
    this.#onChange = onChange;
    // Only folders are watched. They report changes of their files, too, and a watch per file would exceed the limits.
    const paths = watched.map(([real]) => real);
    this.#watcher = watch(paths, {
      ignoreInitial: true,
      followSymlinks: false,
      ignorePermissionErrors: true,
      ignored: (path, stats) => this.#isIgnored(this.#ownPathOf(path), stats),
    });
    this.#watcher.on('error', (error) => this.#fail(error));
    this.#watcher.on('raw', (_, name, details) =>
      this.#handleEvent(this.#ownPathOf((details as { watchedPath: string }).watchedPath), name),
    );
    // A new folder reports no events for entries that it already has.
    this.#watcher.on('addDir', (path) => this.#add(this.#ownPathOf(path)));
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

  /** Returns the path that a scan has for one that is watched. */
  #ownPathOf(path: string): string {
    for (const [real, root] of this.#behindLinks) if (isInside(path, real)) return join(root, relative(real, path));
    return path;
  }

  /** chokidar calls it without `stats` first. */
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

  /** @param folder the watched folder; it, or its entry `name`, changed */
  #handleEvent(folder: string, name: string | null): void {
    if (name === IGNORE_FILE) this.#scopes.clear();
    else if (typeof name === 'string' && this.#isExcluded(join(folder, name), false)) return;
    this.#add(folder);
  }

  #add(folder: string): void {
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
      return this.#exclusion.enter(outer, entryPathOf(folder));
    } catch {
      // The next run warns about the unreadable file.
      return this.#exclusion.enterWithoutIgnoreFile(outer, entryPathOf(folder));
    }
  }

  #fail(error: unknown): void {
    this.#limitation ??= LIMITATIONS[systemCodeOf(error) ?? ''];
  }
}
