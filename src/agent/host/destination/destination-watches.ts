import type { DestinationEntry } from '../../home/destination-entry.ts';
import type { HomeSettings } from '../home-settings.ts';
import type { StateChanges } from '../state-changes.ts';
import { DestinationWatch, type DestinationStatus } from './destination-watch.ts';

/** Checks whether the destinations are present, each by itself: one that does not respond delays no other. */
export class DestinationWatches {
  readonly #settings: HomeSettings;
  readonly #changes: StateChanges;
  readonly #onMissing: ((id: string) => void)[] = [];
  readonly #onFound: ((id: string) => void)[] = [];
  readonly #watches = new Map<string, DestinationWatch>();

  constructor(settings: HomeSettings, changes: StateChanges) {
    this.#settings = settings;
    this.#changes = changes;
  }

  /** Adds a listener for a destination that has become missing. */
  onMissing(listener: (id: string) => void): void {
    this.#onMissing.push(listener);
  }

  /** Adds a listener for a destination that was missing and is present again. */
  onFound(listener: (id: string) => void): void {
    this.#onFound.push(listener);
  }

  /** The result of the last check of a destination. */
  statusOf(id: string): DestinationStatus {
    return this.#watch(id).status;
  }

  /** Checks present destinations occasionally, and missing ones every time. */
  refresh(): void {
    const ids = this.#settings.entries.map(({ id }) => id);
    for (const id of this.#watches.keys()) if (!ids.includes(id)) this.#watches.delete(id);
    for (const id of ids) this.#watch(id).refresh();
  }

  /** Checks a destination now. Resolves within five seconds. */
  async check(id: string): Promise<DestinationStatus> {
    return await this.#watch(id).check();
  }

  /** Checks all destinations now. */
  async checkAll(): Promise<void> {
    await Promise.all(this.#settings.entries.map(({ id }) => this.check(id)));
  }

  /** Checks a destination now, and returns its path if it is missing. @param id the first destination by default */
  async missingPath(id = this.#settings.entries[0]?.id): Promise<string | undefined> {
    return id === undefined ? undefined : await this.#watch(id).missingPath();
  }

  #watch(id: string): DestinationWatch {
    const known = this.#watches.get(id);
    if (known) return known;
    const entry = (): DestinationEntry | undefined => this.#settings.entries.find((other) => other.id === id);
    const roots = (): readonly string[] => (this.#settings.loadIfIntact()?.sets ?? []).flatMap((set) => set.roots);
    const watch = new DestinationWatch(() => entry()?.destination, roots, this.#changes);
    watch.onMissing(() => this.#onMissing.forEach((listener) => listener(id)));
    watch.onFound(() => this.#onFound.forEach((listener) => listener(id)));
    this.#watches.set(id, watch);
    return watch;
  }
}
