import type { Socket } from 'node:net';

/** The length of the random text that ends what a command writes. */
export const MARK_BYTES = 32;

/** Collects what a command writes to a stream, up to its mark. */
export class Written {
  readonly #stream: Socket;
  #parts: Buffer[] = [];
  #tail: Buffer = Buffer.alloc(0);
  #mark: string | undefined;
  #onMark: () => void = () => undefined;

  constructor(stream: Socket) {
    this.#stream = stream;
    stream.on('data', (part: Buffer) => this.#add(part));
    stream.unref();
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  /** Resolves when the mark was written. */
  async until(mark: string): Promise<void> {
    this.#stream.ref();
    await new Promise<void>((resolve) => {
      this.#mark = mark;
      this.#onMark = resolve;
    });
    this.#stream.unref();
  }

  /** Returns the text before the mark, or all of it if the process ended. Keeps what follows the mark. */
  take(): string {
    const bytes = Buffer.concat(this.#parts);
    const end = this.#mark === undefined ? -1 : bytes.lastIndexOf(this.#mark);
    const after = end < 0 ? bytes.length : end + MARK_BYTES;
    this.#parts = after < bytes.length ? [bytes.subarray(after)] : [];
    this.#mark = undefined;
    return bytes.subarray(0, end < 0 ? undefined : end).toString();
  }

  #add(part: Buffer): void {
    this.#parts.push(part);
    const end = Buffer.concat([this.#tail, part]);
    this.#tail = end.subarray(-MARK_BYTES);
    if (this.#mark !== undefined && end.includes(this.#mark)) this.#onMark();
  }
}
