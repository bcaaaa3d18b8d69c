/** Space that is freed later. `others`: other computers may count on it until then. `locked`: the store forbids deletion until then. */
export interface LaterSpace {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly bytes: number;
  readonly because: 'others' | 'locked';
  /** Names of the computers that have to back up first, unless they stay silent for a month. */
  readonly waitsFor: readonly string[];
}

/** Bytes that are freed, at once or later. */
export class FreedAmounts {
  #now = 0;
  readonly #later = new Map<string, LaterSpace>();

  get now(): number {
    return this.#now;
  }

  /** The earliest first. */
  get later(): readonly LaterSpace[] {
    return [...this.#later.values()].toSorted((a, b) => a.at - b.at);
  }

  add(bytes: number): void {
    this.#now += bytes;
  }

  addLater(space: LaterSpace): void {
    const { at, bytes, because, waitsFor } = space;
    const key = JSON.stringify([because, at, waitsFor]);
    this.#later.set(key, { ...space, bytes: bytes + (this.#later.get(key)?.bytes ?? 0) });
  }
}
