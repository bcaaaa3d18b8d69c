import { randomBytes } from 'node:crypto';

/** Pictures that are held at a time: the ones that are being drawn. */
const MOST = 4;

interface GalleryPicture {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Its media type. */
  readonly type: string;
}

/** The pictures that the page of a gallery draws thumbnails of. One gallery is open at a time, in memory only. */
export class Gallery {
  #id: string | undefined;
  readonly #pictures = new Map<string, GalleryPicture>();

  /** Opens another one. Returns its name, which cannot be guessed. */
  open(): string {
    this.clear();
    this.#id = randomBytes(16).toString('hex');
    return this.#id;
  }

  isOpen(id: string): boolean {
    return id === this.#id;
  }

  /** Returns the name of the picture, which can be taken once. */
  add(picture: GalleryPicture): string {
    const name = randomBytes(16).toString('hex');
    this.#pictures.set(name, picture);
    for (const oldest of this.#pictures.keys()) {
      if (this.#pictures.size <= MOST) break;
      this.#pictures.delete(oldest);
    }
    return name;
  }

  take(name: string): GalleryPicture | undefined {
    const picture = this.#pictures.get(name);
    this.#pictures.delete(name);
    return picture;
  }

  close(id: string): void {
    if (this.isOpen(id)) this.clear();
  }

  clear(): void {
    this.#id = undefined;
    this.#pictures.clear();
  }
}
