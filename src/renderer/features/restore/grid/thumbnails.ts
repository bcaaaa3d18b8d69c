import type { FileReference } from '../../../../ipc/contract/restore/preview.ts';
import { THUMBNAIL_BYTES } from '../../../../ipc/contract/restore/preview.ts';
import { call } from '../../../bridge/bridge.ts';
import { galleryMessage, type GalleryMessage } from '../../../gallery-page/messages.ts';
import { Observable } from '../../../shared/observable.ts';
import { Gallery } from './gallery.ts';

/** Pictures that are fetched at a time. One of them is drawn. */
const AT_A_TIME = 2;
/** Thumbnails that are kept, of at most 256 kB each. */
const KEPT = 240;
/** Pages of a gallery in one folder. A picture that ends its page is not drawn again. */
const MOST_PAGES = 3;
/** What the main process recognises, by the endings that such files have. */
const PICTURES = /\.(?:jpe?g|jpe|jfif|png|gif|webp|bmp)$/i;

/** A picture to draw. */
export interface WantedPicture {
  readonly file: FileReference;
  readonly size: number;
  /** ISO 8601. */
  readonly modified: string;
}

/** The pixels of a thumbnail; `none` for what has none. */
export type Thumbnail = NonNullable<GalleryMessage['drawn']> | 'none';

/** Returns whether a file may have a thumbnail, so that it is worth fetching. */
export function isPictureName(name: string, size: number): boolean {
  return size > 0 && size <= THUMBNAIL_BYTES && PICTURES.test(name);
}

/** The newest last. Kept for other times and folders: a version has the same pixels in each restore point. */
const made = new Map<string, Thumbnail>();

/** Milliseconds for which pages worked on pictures that were left before they were drawn, so that no picture is tried for ever. */
const spent = new Map<string, number>();

function keyOf({ file: { set, device, path }, size, modified }: WantedPicture): string {
  return JSON.stringify([device, set, path, size, modified]);
}

/** Thumbnails of the pictures that are visible now, fetched a few at a time and drawn in the frame of a gallery. */
export class Thumbnails extends Observable {
  #wanted: readonly WantedPicture[] = [];
  readonly #active = new Set<string>();
  #gallery: Gallery | undefined;
  #folder: string | undefined;
  #pages = 1;
  #isClosed = true;

  /** The address of the page for the frame, while there is one. */
  get address(): string | undefined {
    return this.#gallery?.address;
  }

  /** Opens the gallery, also after `close`. */
  start(): void {
    this.#isClosed = false;
    this.#next();
  }

  close(): void {
    this.#isClosed = true;
    this.#endPage();
  }

  of(picture: WantedPicture): Thumbnail | undefined {
    return made.get(keyOf(picture));
  }

  /**
   * Replaces the pictures that are wanted, the most important first. Those that are being fetched are finished.
   *
   * @param folder where they are
   */
  want(pictures: readonly WantedPicture[], folder: string): void {
    if (folder !== this.#folder) this.#pages = 1;
    this.#folder = folder;
    this.#wanted = pictures;
    this.#next();
  }

  /** Takes what a frame tells. Its process decodes what nobody has vouched for, so that nothing else than pixels is taken from it. */
  hear(from: Window, data: unknown): void {
    const { data: message } = galleryMessage.safeParse(data);
    if (message) this.#gallery?.hear(from, message);
  }

  #next(): void {
    if (this.#isClosed || this.#pages > MOST_PAGES) return;
    for (const picture of this.#wanted) {
      if (this.#active.size >= AT_A_TIME) return;
      const key = keyOf(picture);
      if (!made.has(key) && !this.#active.has(key)) void this.#make(key, picture);
    }
  }

  async #make(key: string, picture: WantedPicture): Promise<void> {
    this.#active.add(key);
    const gallery = (this.#gallery ??= new Gallery());
    try {
      const thumbnail = await this.#draw(gallery, key, picture);
      if (thumbnail) keep(key, thumbnail);
    } catch {
      // The destination is away. Nothing is asked again until the folder is opened again.
      if (!gallery.isClosed) this.#wanted = [];
      if (gallery.address === undefined) this.#endPage();
    } finally {
      this.#active.delete(key);
      this.changed();
      this.#next();
    }
  }

  /** Returns `undefined` if its page was closed before it was drawn. @throws what fetching the file throws */
  async #draw(gallery: Gallery, key: string, { file }: WantedPicture): Promise<Thumbnail | undefined> {
    const name = await gallery.name();
    this.changed();
    const found = await call('preview.thumbnail', { gallery: name, file });
    if (found.kind === 'none') return 'none';
    const drawn = await gallery.draw(found.picture, spent.get(key) ?? 0);
    if (drawn === 'none' || !('kind' in drawn)) return drawn;
    if (drawn.kind === 'closed') {
      if (drawn.spent > 0) spent.set(key, drawn.spent);
      return undefined;
    }
    // Its process has ended, or works for ever: another page goes on with the other pictures.
    this.#pages += 1;
    this.#endPage();
    return 'none';
  }

  #endPage(): void {
    this.#gallery?.close();
    this.#gallery = undefined;
    this.changed();
  }
}

function keep(key: string, thumbnail: Thumbnail): void {
  spent.delete(key);
  made.set(key, thumbnail);
  for (const oldest of made.keys()) {
    if (made.size <= KEPT) break;
    made.delete(oldest);
  }
}
