import type { Clock } from '../../base/clock.ts';
import { HoldfastError } from '../../base/errors/errors.ts';
import { DigestSet } from '../../format/chunks/digest-set.ts';
import type { BlobArena } from '../../remote/blobs/blob-arena.ts';
import type { BlobDownloader, ReadSource } from '../../remote/ports.ts';
import { untilSilent, type Watched } from './stall-watch.ts';
import { digestOf } from '../../format/chunks/digest.ts';

export type OnBlob = Parameters<BlobDownloader['download']>[2];

/** A destination besides the one that the restore session belongs to. */
export interface OtherDestination {
  readonly name: string;
  /**
   * Opens it. Called when it is first needed, and again after a failure.
   *
   * @param alive to be called whenever something arrives
   */
  open(alive: () => void, signal: AbortSignal): Promise<OpenDestination>;
}

export interface OpenDestination {
  /** Like `BlobDownloader.download`, in sessions of its own. */
  download(hashes: readonly string[], onBlob: OnBlob, alive: () => void, signal: AbortSignal): Promise<void>;
}

/** A request of some chunks. */
export interface Asked {
  /** The restore session of the first destination. */
  readonly session: string;
  readonly hashes: readonly string[];
  readonly onBlob: OnBlob;
  readonly signal: AbortSignal;
  readonly arena: BlobArena | undefined;
}

/** One of several destinations. */
export abstract class Member {
  readonly name: string;
  #chunks = 0;
  #bytes = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** Returns whether it may have a chunk. */
  abstract mayHave(hash: string): boolean;
  /** Records that it has no blob of a chunk. */
  abstract lacks(hash: string): void;
  /** Resolves with the work if it has delivered nothing for a while, and may still. */
  abstract ask(asked: Asked): Promise<Watched<void>>;

  delivered(bytes: number): void {
    this.#chunks += 1;
    this.#bytes += bytes;
  }

  get read(): ReadSource {
    return { destination: this.name, chunks: this.#chunks, bytes: this.#bytes };
  }
}

/** The destination that the restore session belongs to. */
export class FirstMember extends Member {
  readonly #downloader: BlobDownloader;
  readonly #clock: Clock;

  constructor(name: string, downloader: BlobDownloader, clock: Clock) {
    super(name);
    this.#downloader = downloader;
    this.#clock = clock;
  }

  get concurrency(): number {
    return this.#downloader.concurrency;
  }

  /** It may have got a chunk meanwhile. */
  mayHave(): boolean {
    return true;
  }

  lacks(): void {
    // It is asked again.
  }

  ask({ session, hashes, onBlob, signal, arena }: Asked): Promise<Watched<void>> {
    return untilSilent(this.#clock, (alive) => {
      const counted: OnBlob = (hash, bytes) => {
        alive();
        return onBlob(hash, bytes);
      };
      return this.#downloader.download(session, hashes, counted, signal, arena);
    });
  }
}

/** A destination that is opened when it is first asked, and not asked twice for what it lacks. */
export class OtherMember extends Member {
  readonly #destination: OtherDestination;
  readonly #clock: Clock;
  readonly #lacking = new DigestSet();
  #opened: Promise<OpenDestination> | undefined;

  constructor(destination: OtherDestination, clock: Clock) {
    super(destination.name);
    this.#destination = destination;
    this.#clock = clock;
  }

  mayHave(hash: string): boolean {
    return !this.#lacking.has(digestOf(hash));
  }

  lacks(hash: string): void {
    this.#lacking.add(digestOf(hash));
  }

  /** @throws what the destination throws, and HoldfastError `service_unreachable` if it is silent */
  async ask({ hashes, onBlob, signal }: Asked): Promise<Watched<void>> {
    const opening = (this.#opened ??= this.#unlessSilent(undefined, (alive, inner) =>
      this.#destination.open(alive, inner),
    ));
    try {
      const opened = await opening;
      await this.#unlessSilent(signal, (alive, inner) => {
        const counted: OnBlob = (hash, bytes) => {
          alive();
          return onBlob(hash, bytes);
        };
        return opened.download(hashes, counted, alive, inner);
      });
      return { result: undefined };
    } catch (error) {
      // The next call opens it anew.
      if (this.#opened === opening) this.#opened = undefined;
      throw error;
    }
  }

  /** @param signal `undefined` for what several calls share, which none of them aborts */
  async #unlessSilent<Result>(
    signal: AbortSignal | undefined,
    work: (alive: () => void, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const silence = new AbortController();
    const inner = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
    const outcome = await untilSilent(this.#clock, (alive) => work(alive, inner));
    if ('result' in outcome) return outcome.result;
    silence.abort();
    throw new HoldfastError('service_unreachable', { address: this.name, reason: 'silent' });
  }
}
