import { packName } from '../../format/repository/file-names.ts';
import type { BlobLocation } from '../projection/blob-locations.ts';
import type { Repository } from '../repository.ts';
import { planReads } from './plan-reads.ts';

/** Bytes of windows that are held at once: three packs. */
const MOST_BYTES = 60 * 2 ** 20;
/** A pack as writers close it, with its last blob. */
const LARGEST_WINDOW = 20 * 2 ** 20;
/** Share of a pack's blobs from which it is read as a whole. */
const WHOLE_SHARE = 1 / 2;
/** Packs that are looked at for the next window: packs with files and with trees alternate. */
const PACKS_AHEAD = 2;

/** A part of a pack with blobs that are expected to be requested. It is read once, if one of them is. */
interface Window {
  readonly packHash: string;
  readonly offset: number;
  readonly length: number;
  /** Expected blobs that were not requested yet. */
  left: number;
  state: 'unread' | 'held' | 'gone';
  bytes: Promise<Uint8Array | undefined> | undefined;
}

/**
 * Reads together what a restore is going to need of a pack: the whole of it if that is most of the pack. A window that had to give way
 * to others is not read again; what is still needed of it is then read by itself.
 */
export class PackWindows {
  readonly #repository: Pick<Repository, 'storage' | 'projection'>;
  readonly #isExpected: (digest: Uint8Array) => boolean;
  readonly #mostBytes: number;
  /** By the numbers of packs. */
  readonly #windows = new Map<number, readonly Window[]>();
  /** The one that was used last comes last. */
  readonly #held = new Set<Window>();
  #heldBytes = 0;
  /** Of windows that gave way before all was used. Many show that the restore goes through the packs in another order. */
  #wastedBytes = 0;

  /** @param mostBytes of windows that are held at once, and of those that may give way before no more are read */
  constructor(
    repository: Pick<Repository, 'storage' | 'projection'>,
    isExpected: (digest: Uint8Array) => boolean,
    mostBytes = MOST_BYTES,
  ) {
    this.#repository = repository;
    this.#isExpected = isExpected;
    this.#mostBytes = mostBytes;
  }

  /** Returns the bytes at a place; `undefined` if they have to be read by themselves, or if the file has fewer. */
  async read(location: BlobLocation, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    const window = this.#windowsOf(location.pack).find((each) => contains(each, location));
    if (!window || window.state === 'gone') return undefined;
    window.left -= 1;
    if (window.state === 'unread' && !this.#begin(window, signal)) return undefined;
    this.#touch(window);
    this.#readAhead(location.pack, signal);
    const { bytes } = window;
    if (window.left <= 0) this.#drop(window);
    const start = location.offset - window.offset;
    const found = (await bytes)?.subarray(start, start + location.length);
    return found?.length === location.length ? found : undefined;
  }

  #windowsOf(number: number): readonly Window[] {
    let windows = this.#windows.get(number);
    if (!windows) this.#windows.set(number, (windows = this.#plan(number)));
    return windows;
  }

  #plan(number: number): readonly Window[] {
    const pack = this.#repository.projection.packs.find(number);
    if (!pack) return [];
    const packHash = pack.hash.toString('hex');
    const expected = pack.blobs.filter(({ digest }) => this.#isExpected(digest));
    const bytes = expected.reduce((sum, { length }) => sum + length, 0);
    const options = { largestRead: LARGEST_WINDOW, ...(bytes >= WHOLE_SHARE * pack.bytes && { largestGap: Infinity }) };
    const reads = planReads(expected, ({ offset, length }) => ({ pack: number, packHash, offset, length }), options);
    // A blob by itself needs no window.
    return reads
      .filter(({ items }) => items.length > 1)
      .map(({ offset, length, items }) => {
        return { packHash, offset, length, left: items.length, state: 'unread', bytes: undefined };
      });
  }

  /** Reads a window if there is room for it, or can be made. */
  #begin(window: Window, signal: AbortSignal | undefined): boolean {
    if (this.#wastedBytes > this.#mostBytes) return false;
    for (const other of this.#held) {
      if (this.#heldBytes + window.length <= this.#mostBytes) break;
      this.#wastedBytes += other.length;
      this.#drop(other);
    }
    const { packHash, offset, length } = window;
    window.state = 'held';
    this.#held.add(window);
    this.#heldBytes += length;
    // One that fails is read by itself, which throws what is the matter.
    window.bytes = this.#repository.storage.get(packName(packHash), { offset, length }, signal).catch(() => {
      this.#drop(window);
      return undefined;
    });
    return true;
  }

  /** Reads the next window while the requested one is used: files are mostly in the order in which they were backed up. */
  #readAhead(number: number, signal: AbortSignal | undefined): void {
    for (let next = number + 1; next <= number + PACKS_AHEAD; next += 1) {
      const [window] = this.#windowsOf(next);
      if (!window) continue;
      const hasRoom = this.#heldBytes + window.length <= this.#mostBytes;
      if (window.state === 'unread' && hasRoom) this.#begin(window, signal);
      return;
    }
  }

  #touch(window: Window): void {
    if (this.#held.delete(window)) this.#held.add(window);
  }

  #drop(window: Window): void {
    if (this.#held.delete(window)) this.#heldBytes -= window.length;
    window.state = 'gone';
    window.bytes = undefined;
  }
}

function contains(window: Window, { offset, length }: BlobLocation): boolean {
  return window.offset <= offset && offset + length <= window.offset + window.length;
}
