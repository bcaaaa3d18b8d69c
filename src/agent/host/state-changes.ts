/** Notifies whoever depends on the app state that it may have changed. Notifying is cheap: do it freely. */
export class StateChanges {
  readonly #listeners = new Set<() => void>();

  subscribe(listener: () => void): void {
    this.#listeners.add(listener);
  }

  notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
