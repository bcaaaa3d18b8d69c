/** Notifies subscribers that the app state may have changed. Notifying is cheap. */
export class StateChanges {
  readonly #listeners = new Set<() => void>();

  subscribe(listener: () => void): void {
    this.#listeners.add(listener);
  }

  notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
