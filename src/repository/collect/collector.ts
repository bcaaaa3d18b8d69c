import type { Point } from '../projection/points.ts';
import type { Repository } from '../repository.ts';
import { choiceOptions, Collection, type Collected, type CollectionOptions } from './collection.ts';
import { freeableBytes } from './estimate.ts';
import { FreeSpace } from './free-space.ts';
import { LiveChunks, type TreeSource } from './live-chunks.ts';
import { TreeChunks } from './tree-chunks.ts';
import { CONDEMNED_FOR_MS } from './waiting-packs.ts';

/**
 * Frees the space of chunks that no restore point needs, in two steps that are days apart. First it writes what lives in a pack
 * that is mostly dead into new packs and condemns the old one for good: from then on no backup counts on it. Later it deletes the
 * file, after every device has read of the condemnation. What restore points need then nevertheless is written anew first.
 */
export class Collector {
  readonly #repository: Repository;
  readonly #trees: TreeSource;

  constructor(repository: Repository, trees: TreeSource = new TreeChunks(repository)) {
    this.#repository = repository;
    this.#trees = trees;
  }

  /** Collects once. @throws as `Collection.run` */
  async collect(signal?: AbortSignal, options: CollectionOptions = {}): Promise<Collected> {
    return await new Collection(this.#repository, this.#trees, options, signal).run();
  }

  /** Frees what nobody needs, as a person wants it. */
  get freeSpace(): FreeSpace {
    return new FreeSpace(this.#repository, this.#trees);
  }

  /** Bytes that collections free once these restore points are removed, beside what they free anyway. */
  async bytesFreedWithout(points: readonly Point[], signal?: AbortSignal): Promise<number> {
    const { projection } = this.#repository;
    const leaving = new Set(points.map(({ id }) => id.toString('hex')));
    const staying = projection.points.all().filter(({ id }) => !leaving.has(id.toString('hex')));
    const live = new LiveChunks(this.#trees);
    const freeable = () => freeableBytes(this.#repository, live.digests, choiceOptions(false));
    await live.addAll(staying, signal);
    const without = freeable();
    await live.addAll(points, signal);
    return Math.max(0, without - freeable());
  }

  /** Bytes of condemned packs and when they are deleted at the earliest, in milliseconds since the epoch. */
  freeing(): readonly { readonly at: number; readonly bytes: number }[] {
    const { projection, clock } = this.#repository;
    const now = clock.now();
    return projection.packs
      .condemned()
      .map(({ condemnedAt, bytes }) => ({ at: Math.min(condemnedAt, now) + CONDEMNED_FOR_MS, bytes }));
  }
}
