import type { Position } from './mounted-point.ts';

/** A program that reads one file after the other. */
interface Reader {
  readonly point: number;
  /** Of the file that was read last. */
  position: Position;
  /** The last position that was fetched ahead. */
  ahead: Position;
}

/** Programs that are followed at once. */
const MOST_READERS = 32;
/** Positions between two files that are read one after the other: folders and files that a pattern leaves out. */
const GAP = 16;

/** Notices programs that read files in the order in which a folder lists them. */
export class ReadOrder {
  readonly #readers: Reader[] = [];

  /**
   * Notes that a file is read from its beginning.
   *
   * @param count positions that are fetched ahead at once
   * @returns the positions to fetch ahead now; `undefined` if it is not read after one before it, or most of what follows was fetched
   */
  next(
    point: number,
    position: Position,
    count: number,
  ): { readonly from: Position; readonly to: Position } | undefined {
    const index = this.#readers.findIndex((each) => each.point === point && isNext(each.position, position));
    if (index < 0) {
      this.#readers.unshift({ point, position, ahead: position });
      this.#readers.length = Math.min(this.#readers.length, MOST_READERS);
      return undefined;
    }
    const [reader] = this.#readers.splice(index, 1);
    this.#readers.unshift(reader!);
    reader!.position = position;
    if (reader!.ahead - position > count / 2) return undefined;
    const from = Math.max(reader!.ahead, position) + 1;
    reader!.ahead = position + count;
    return { from, to: reader!.ahead };
  }
}

function isNext(before: Position, position: Position): boolean {
  return position > before && position - before <= GAP;
}
