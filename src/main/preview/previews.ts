import { Gallery } from './gallery.ts';
import { HeldContents } from './held-contents.ts';

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
  /** Two versions side by side, and those that are being replaced. */
  readonly #held = new HeldContents<HeldPreview>();

  /** Returns the name of the preview, which cannot be guessed. */
  add(preview: HeldPreview): string {
    return this.#held.add(preview);
  }

  find(id: string): HeldPreview | undefined {
    return this.#held.find(id);
  }

  remove(id: string): void {
    this.#held.remove(id);
  }

  clear(): void {
    this.gallery.clear();
    this.#held.clear();
  }
}
