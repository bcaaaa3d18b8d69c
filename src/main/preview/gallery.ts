import { HeldContents, randomName } from './held-contents.ts';

interface GalleryPicture {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Its media type. */
  readonly type: string;
}

/** The pictures that the page of a gallery draws thumbnails of. One gallery is open at a time, in memory only. */
export class Gallery {
  #id: string | undefined;
  /** Those that are being drawn. */
  readonly #pictures = new HeldContents<GalleryPicture>();

  /** Opens another one. Returns its name, which cannot be guessed. */
  open(): string {
    this.clear();
    this.#id = randomName();
    return this.#id;
  }

  isOpen(id: string): boolean {
    return id === this.#id;
  }

  /** Returns the name of the picture, which can be taken once. */
  add(picture: GalleryPicture): string {
    return this.#pictures.add(picture);
  }

  take(name: string): GalleryPicture | undefined {
    const picture = this.#pictures.find(name);
    this.#pictures.remove(name);
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
