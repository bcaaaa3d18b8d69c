import { call } from '../../../bridge/bridge.ts';
import type { GalleryMessage, GalleryRequest } from '../../../gallery-page/messages.ts';

/** Milliseconds after which a picture counts as one that cannot be drawn. */
const PATIENCE = 20_000;

/** The pixels of a picture, `none` if its page cannot draw it, and how its page ended otherwise. */
export type Drawn =
  | NonNullable<GalleryMessage['drawn']>
  | 'none'
  /** The page did nothing else than this picture until its patience was over. */
  | { readonly kind: 'late' }
  /** The page was closed, `spent` milliseconds after it was given this picture. */
  | { readonly kind: 'closed'; readonly spent: number };

const NOT_BEGUN: Drawn = { kind: 'closed', spent: 0 };

/** One page of a gallery, whose process decodes pictures, and which may be ended by one of them. */
export class Gallery {
  readonly #opened = call('preview.gallery', {});
  readonly #closed = Promise.withResolvers<void>();
  readonly #frame = Promise.withResolvers<Window>();
  #address: string | undefined;
  #isClosed = false;
  #last: Promise<unknown> = Promise.resolve();
  #drawing: { readonly picture: string; readonly end: (drawn: GalleryMessage['drawn']) => void } | undefined;

  /** The address for the frame, once it is known. */
  get address(): string | undefined {
    return this.#address;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Returns the name of the gallery. @throws what opening it throws */
  async name(): Promise<string> {
    const { gallery, address } = await this.#opened;
    this.#address = address;
    return gallery;
  }

  hear(from: Window, { picture, drawn }: GalleryMessage): void {
    if (picture === '') this.#frame.resolve(from);
    else if (picture === this.#drawing?.picture) this.#drawing.end(drawn);
  }

  /**
   * Draws one picture after the other, so that it is known which one ends the page.
   *
   * @param spent milliseconds that earlier pages spent on it
   */
  draw(picture: string, spent: number): Promise<Drawn> {
    const drawn = this.#last.then(() => this.#draw(picture, spent));
    this.#last = drawn;
    return drawn;
  }

  close(): void {
    this.#isClosed = true;
    this.#closed.resolve();
    // It may have been closed already.
    this.#opened.then(({ gallery }) => call('preview.close-gallery', { gallery })).catch(() => undefined);
  }

  async #draw(picture: string, spent: number): Promise<Drawn> {
    const closed = this.#closed.promise;
    const frame = await Promise.race([this.#frame.promise, closed]);
    if (!frame || this.#isClosed) return NOT_BEGUN;
    const begun = performance.now();
    const answer = Promise.withResolvers<Drawn>();
    this.#drawing = { picture, end: (drawn) => answer.resolve(drawn ?? 'none') };
    const timer = setTimeout(() => answer.resolve({ kind: 'late' }), PATIENCE - spent);
    const request: GalleryRequest = { picture };
    // The frame has an opaque origin.
    frame.postMessage(request, '*');
    const drawn = await Promise.race([answer.promise, closed]);
    clearTimeout(timer);
    this.#drawing = undefined;
    return drawn ?? { kind: 'closed', spent: spent + performance.now() - begun };
  }
}
