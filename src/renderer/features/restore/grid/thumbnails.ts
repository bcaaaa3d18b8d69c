import type { FileReference } from '../../../../ipc/contract/restore/preview.ts';
import { THUMBNAIL_BYTES } from '../../../../ipc/contract/restore/preview.ts';
import { call } from '../../../bridge/bridge.ts';
import { galleryMessage, type GalleryMessage, type GalleryRequest } from '../../../gallery-page/messages.ts';
import { Observable } from '../../../shared/observable.ts';

/** Pictures that are fetched and drawn at a time. */
const AT_A_TIME = 2;
/** Thumbnails that are kept, of at most 256 kB each. */
const KEPT = 240;
/** Milliseconds after which a picture counts as one that cannot be drawn. */
const PATIENCE = 20_000;
/** Pages of a gallery that may end in one folder. A picture that ends its page is not drawn again. */
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

function keyOf({ file: { set, device, path }, size, modified }: WantedPicture): string {
  return JSON.stringify([device, set, path, size, modified]);
}

/** Thumbnails of the pictures that are visible now, fetched a few at a time and drawn in the frame of a gallery. */
export class Thumbnails extends Observable {
  #wanted: readonly WantedPicture[] = [];
  readonly #active = new Set<string>();
  #gallery: Promise<{ readonly gallery: string; readonly address: string }> | undefined;
  #address: string | undefined;
  #frame = Promise.withResolvers<Window>();
  readonly #drawing = new Map<string, (drawn: GalleryMessage['drawn']) => void>();
  #pages = 1;
  #isClosed = true;

  /** The address of the page for the frame, while there is one. */
  get address(): string | undefined {
    return this.#address;
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

  /** Replaces the pictures that are wanted, the most important first. Those that are being fetched are finished. */
  want(pictures: readonly WantedPicture[]): void {
    this.#wanted = pictures;
    this.#next();
  }

  /** Takes what a frame tells. Its process decodes what nobody has vouched for, so that nothing else than pixels is taken from it. */
  hear(from: Window, data: unknown): void {
    const { data: message } = galleryMessage.safeParse(data);
    if (!message) return;
    if (message.picture === '') return this.#frame.resolve(from);
    this.#drawing.get(message.picture)?.(message.drawn);
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
    try {
      keep(key, await this.#draw(picture));
    } catch {
      // The destination is away, or the gallery was closed. Nothing is asked again until the folder is opened again.
      this.#wanted = [];
    } finally {
      this.#active.delete(key);
      this.changed();
      this.#next();
    }
  }

  /** @throws what fetching the file throws */
  async #draw({ file }: WantedPicture): Promise<Thumbnail> {
    const { gallery } = await this.#open();
    const found = await call('preview.thumbnail', { gallery, file });
    if (found.kind === 'none') return 'none';
    const frame = await this.#frame.promise;
    const drawn = Promise.withResolvers<GalleryMessage['drawn'] | 'late'>();
    this.#drawing.set(found.picture, drawn.resolve);
    const timer = setTimeout(() => drawn.resolve('late'), PATIENCE);
    const request: GalleryRequest = { picture: found.picture };
    // The frame has an opaque origin.
    frame.postMessage(request, '*');
    const pixels = await drawn.promise;
    clearTimeout(timer);
    this.#drawing.delete(found.picture);
    if (pixels !== 'late') return pixels ?? 'none';
    // Its process has ended, or works for ever: another page goes on with the other pictures.
    this.#pages += 1;
    this.#endPage();
    return 'none';
  }

  #open(): Promise<{ readonly gallery: string }> {
    this.#gallery ??= call('preview.gallery', {}).then((opened) => {
      this.#address = opened.address;
      this.changed();
      return opened;
    });
    return this.#gallery;
  }

  #endPage(): void {
    const gallery = this.#gallery;
    this.#gallery = undefined;
    this.#address = undefined;
    this.#frame = Promise.withResolvers<Window>();
    for (const end of this.#drawing.values()) end(undefined);
    // It may have been closed already.
    gallery?.then((opened) => call('preview.close-gallery', { gallery: opened.gallery })).catch(() => undefined);
    this.changed();
  }
}

function keep(key: string, thumbnail: Thumbnail): void {
  made.set(key, thumbnail);
  for (const oldest of made.keys()) {
    if (made.size <= KEPT) break;
    made.delete(oldest);
  }
}
