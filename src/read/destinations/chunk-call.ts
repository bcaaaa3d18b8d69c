import type { BlobArena } from '../../remote/blobs/blob-arena.ts';
import type { Member, OnBlob } from './member.ts';

export interface ChunkCallOptions {
  readonly session: string;
  readonly hashes: readonly string[];
  readonly onBlob: OnBlob;
  readonly signal: AbortSignal | undefined;
  readonly arena: BlobArena | undefined;
}

/** The outcome of asking one destination. */
export type Answer =
  | { readonly kind: 'answered' }
  | { readonly kind: 'failed'; readonly error: unknown }
  /** It has delivered nothing for a while, and may still. */
  | { readonly kind: 'silent'; readonly work: Promise<void> };

/** One download call: passes on each blob once, whoever delivers it. */
export class ChunkCall {
  readonly #options: ChunkCallOptions;
  readonly #left: Set<string>;
  readonly #abort = new AbortController();
  readonly #signal: AbortSignal;
  #callersError: { readonly error: unknown } | undefined;

  constructor(options: ChunkCallOptions) {
    this.#options = options;
    this.#left = new Set(options.hashes);
    const own = this.#abort.signal;
    this.#signal = options.signal ? AbortSignal.any([options.signal, own]) : own;
  }

  /** Chunks without a blob so far. */
  get left(): ReadonlySet<string> {
    return this.#left;
  }

  /**
   * Asks a destination.
   *
   * @param onDelivered called before each blob that it was the first to deliver is passed on
   * @throws what the caller's `onBlob` throws, and the reason of the caller's signal
   */
  async ask(member: Member, hashes: readonly string[], onDelivered: (bytes: number) => void): Promise<Answer> {
    const { session, arena } = this.#options;
    const onBlob: OnBlob = async (hash, bytes) => {
      if (!bytes) {
        member.lacks(hash);
      } else if (!this.#signal.aborted && this.#left.delete(hash)) {
        onDelivered(bytes.length);
        await this.#pass(hash, bytes);
      }
    };
    try {
      const watched = await member.ask({ session, hashes, onBlob, signal: this.#signal, arena });
      return 'result' in watched ? { kind: 'answered' } : { kind: 'silent', work: watched.silent };
    } catch (error) {
      this.#throwIfEnded();
      return { kind: 'failed', error };
    }
  }

  /** Passes on that nobody has the chunks that are left. */
  async giveUp(): Promise<void> {
    for (const hash of this.#left) await this.#pass(hash, undefined);
    this.#left.clear();
  }

  /** Stops what is still under way. */
  end(): void {
    this.#abort.abort();
  }

  async #pass(hash: string, bytes: Uint8Array | undefined): Promise<void> {
    try {
      await this.#options.onBlob(hash, bytes);
    } catch (error) {
      this.#callersError ??= { error };
      throw error;
    }
  }

  #throwIfEnded(): void {
    if (this.#callersError) throw this.#callersError.error;
    this.#options.signal?.throwIfAborted();
  }
}
