import { HoldfastError, isHoldfastError } from '../base/errors/errors.ts';

/** The ways of asking a server for one file. */
export interface FileRequest<Content> {
  /** Repeats requests that fail. */
  repeated(): Promise<Content>;
  /** Sends one request. */
  once(): Promise<Content>;
  /** Asks once for something else. Throws if the server cannot be reached. */
  probe(): Promise<unknown>;
}

/**
 * Files that a server does not give out while it answers everything else. A bad sector below a WebDAV server or a bucket, and content that
 * rclone cannot decrypt, end each response in the middle or make it an error of the server, as if the network failed.
 */
export class CutOffFiles {
  readonly #address: string;
  /** Asking for them once is enough: each repetition waits. */
  readonly #known = new Set<string>();

  constructor(address: string) {
    this.#address = address;
  }

  /** @throws HoldfastError `destination_unwritable` (`cut-off`) for a file that is not given out; what the requests throw */
  async read<Content>(name: string, request: FileRequest<Content>, signal?: AbortSignal): Promise<Content> {
    try {
      const content = this.#known.has(name) ? await request.once() : await request.repeated();
      this.#known.delete(name);
      return content;
    } catch (error) {
      signal?.throwIfAborted();
      if (!isOfServer(error)) throw error;
      await request.probe();
      return await this.#again(name, request, signal);
    }
  }

  /** Asks once more, since the server may have been away until just now. */
  async #again<Content>(name: string, request: FileRequest<Content>, signal?: AbortSignal): Promise<Content> {
    try {
      return await request.once();
    } catch (error) {
      signal?.throwIfAborted();
      if (!isOfServer(error)) throw error;
      this.#known.add(name);
      const details = { directory: this.#address, problem: 'cut-off' } as const;
      throw new HoldfastError('destination_unwritable', details, { cause: error });
    }
  }
}

/** Answers of a server that has too much to do, whatever it is asked for. */
const BUSY = new Set(['429', '503']);

/** Returns whether a request failed in the way in which one also fails that cannot reach the server. */
function isOfServer(error: unknown): boolean {
  if (isHoldfastError(error, 'service_unreachable')) return !BUSY.has(error.details.reason ?? '');
  if (!isHoldfastError(error, 'service_broken')) return false;
  const { status = 0 } = error.details;
  return status >= 500 && !BUSY.has(String(status));
}
