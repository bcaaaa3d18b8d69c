import { randomBytes } from 'node:crypto';

/** Contents that are held at a time; the oldest one gives way. */
const MOST = 4;

/** Contents of files in memory only, under names that cannot be guessed. */
export class HeldContents<Content> {
  readonly #held = new Map<string, Content>();

  /** Returns the name. */
  add(content: Content): string {
    const name = randomName();
    this.#held.set(name, content);
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= MOST) break;
      this.#held.delete(oldest);
    }
    return name;
  }

  find(name: string): Content | undefined {
    return this.#held.get(name);
  }

  remove(name: string): void {
    this.#held.delete(name);
  }

  clear(): void {
    this.#held.clear();
  }
}

export function randomName(): string {
  return randomBytes(16).toString('hex');
}
