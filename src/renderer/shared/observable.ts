import { useSyncExternalStore } from 'react';

/** An object outside of React that views follow. It counts its changes. */
export class Observable {
  readonly #listeners = new Set<() => void>();
  #version = 0;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly version = (): number => this.#version;

  /** The object itself calls this after each change. */
  protected changed(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}

/** Renders the view again after each change. Returns the number of changes so far. */
export function useObservable({ subscribe, version }: Observable): number {
  return useSyncExternalStore(subscribe, version);
}
