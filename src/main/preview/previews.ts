import { randomBytes } from 'node:crypto';
import { Gallery } from './gallery.ts';

/** Previews that are kept: two versions side by side, and those that are being replaced. */
const MOST = 4;

export interface HeldPreview {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The media type of what may be shown in a frame; `undefined` for everything else. */
  readonly type: string | undefined;
}

/** The contents of files that are shown now. They are in memory only. */
export class Previews {
  /** Pictures of which thumbnails are drawn. */
  readonly gallery = new Gallery();
  readonly #held = new Map<string, HeldPreview>();

  /** Returns the name of the preview, which cannot be guessed. */
  add(preview: HeldPreview): string {
    const id = randomBytes(16).toString('hex');
    this.#held.set(id, preview);
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= MOST) break;
      this.#held.delete(oldest);
    }
    return id;
  }

  find(id: string): HeldPreview | undefined {
    return this.#held.get(id);
  }

  remove(id: string): void {
    this.#held.delete(id);
  }

  clear(): void {
    this.gallery.clear();
    this.#held.clear();
  }
}
