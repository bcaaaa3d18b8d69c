import type { Clock } from '../../base/clock.ts';
import type { BlobArena } from '../../remote/blobs/blob-arena.ts';
import type { BlobDownloader, BlobSource, ReadSource, SeveralDestinations } from '../../remote/ports.ts';
import { ChunkCall } from './chunk-call.ts';
import { Health } from './health.ts';
import { FirstMember, OtherMember, type Member, type OnBlob, type OtherDestination } from './member.ts';

export interface CombinedOptions {
  /** The destination that the restore session belongs to. */
  readonly first: { readonly name: string; readonly downloader: BlobDownloader };
  /** In the order in which they are asked for what the first lacks. */
  readonly others: readonly OtherDestination[];
  /** Destinations that are nearer than the first and asked before it. They may lack much. */
  readonly nearer?: readonly OtherDestination[];
  readonly clock: Clock;
}

/**
 * Reads blobs from one destination, and from others what that lacks, damages or does not deliver. A failure of another never
 * fails a call: only the first one's does, and only if nobody else has the chunks.
 */
export class CombinedDownloader implements BlobDownloader, SeveralDestinations {
  readonly #first: FirstMember;
  readonly #members: readonly Member[];
  readonly #health: ReadonlyMap<Member, Health>;
  readonly #rejected = new Map<string, Set<BlobSource>>();
  readonly #damaged = new Set<string>();
  #delivering: Member;

  constructor({ first, others, nearer = [], clock }: CombinedOptions) {
    this.#first = new FirstMember(first.name, first.downloader, clock);
    const memberOf = (destination: OtherDestination): Member => new OtherMember(destination, clock);
    this.#members = [...nearer.map(memberOf), this.#first, ...others.map(memberOf)];
    this.#delivering = this.#first;
    this.#health = new Map(this.#members.map((member) => [member, new Health(clock)]));
  }

  get concurrency(): number {
    return this.#first.concurrency;
  }

  get several(): SeveralDestinations {
    return this;
  }

  get others(): number {
    return this.#members.length - 1;
  }

  get read(): readonly ReadSource[] {
    const used = this.#members.filter(({ read }) => read.chunks > 0);
    return used.every((member) => member === this.#first) ? [] : used.map(({ read }) => read);
  }

  get damaged(): ReadonlySet<string> {
    return this.#damaged;
  }

  get delivering(): BlobSource {
    return this.#delivering;
  }

  reject(hash: string, source: BlobSource): void {
    if (source === this.#first) this.#damaged.add(hash);
    const sources = this.#rejected.get(hash);
    if (sources) sources.add(source);
    else this.#rejected.set(hash, new Set([source]));
  }

  async download(
    session: string,
    hashes: readonly string[],
    onBlob: OnBlob,
    signal?: AbortSignal,
    arena?: BlobArena,
  ): Promise<void> {
    signal?.throwIfAborted();
    const call = new ChunkCall({ session, hashes, onBlob, signal, arena });
    try {
      await this.#run(call);
    } finally {
      call.end();
    }
  }

  async #run(call: ChunkCall): Promise<void> {
    const failure: { error?: unknown; silent?: Promise<void> } = {};
    for (const member of this.#order()) {
      const asked = [...call.left].filter((hash) => member.mayHave(hash) && !this.#hasRejected(member, hash));
      await this.#ask(call, member, asked, failure);
    }
    // What was damaged may have been so on its way only.
    const again = [...call.left].filter((hash) => this.#hasRejected(this.#first, hash));
    if (!('error' in failure) && !failure.silent) await this.#ask(call, this.#first, again, failure);
    if (call.left.size > 0) await failure.silent;
    if (call.left.size > 0 && 'error' in failure) throw failure.error;
    await call.giveUp();
  }

  /** @param failure receives what kept the first destination from an answer */
  async #ask(
    call: ChunkCall,
    member: Member,
    hashes: readonly string[],
    failure: { error?: unknown; silent?: Promise<void> },
  ): Promise<void> {
    if (hashes.length === 0) return;
    const health = this.#health.get(member)!;
    const answer = await call.ask(member, hashes, (bytes) => {
      member.delivered(bytes);
      this.#delivering = member;
    });
    if (answer.kind === 'answered') health.succeeded();
    else health.failed();
    if (member !== this.#first) return;
    if (answer.kind === 'failed') failure.error = answer.error;
    if (answer.kind === 'silent') failure.silent = answer.work;
  }

  #hasRejected(member: Member, hash: string): boolean {
    return this.#rejected.get(hash)?.has(member) ?? false;
  }

  /** A first one that has failed just now is asked last, since it has nothing but the others to fall back on. */
  #order(): readonly Member[] {
    const healthOf = (member: Member): Health => this.#health.get(member)!;
    const others = this.#members.filter((member) => {
      const { isPaused, isGone } = healthOf(member);
      return member === this.#first ? !isPaused : !isPaused && !isGone;
    });
    return healthOf(this.#first).isPaused ? [...others, this.#first] : others;
  }
}
