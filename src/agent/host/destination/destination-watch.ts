import { statfs } from 'node:fs/promises';
import { inspectDirectory } from '../../../service/store/store-directory.ts';
import type { Destination } from '../../home/settings.ts';

/** What was found at the place where backups go. */
export interface DestinationSight {
  readonly isPresent: boolean;
  readonly freeBytes: number | undefined;
}

/** What is nowhere in this computer is taken as there: a run finds out. */
const UNSEEN: DestinationSight = { isPresent: true, freeBytes: undefined };
const GONE: DestinationSight = { isPresent: false, freeBytes: undefined };

/** A network drive whose server has gone may let a look wait for ever. */
const PATIENCE_MS = 5000;
/** What is left on a disk changes slowly. */
const FRESH_MS = 15_000;

/**
 * Looks whether the place where backups go is there, never more than once at a time and never in anybody's way: a disk
 * that sleeps takes its time.
 */
export class DestinationWatch {
  readonly #changed: () => void;
  #directory: string | undefined;
  #sight: DestinationSight = UNSEEN;
  #looking: Promise<void> | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** What was found last. */
  get sight(): DestinationSight {
    return this.#sight;
  }

  /** Looks where it is worth it: a disk that is there now and then, one that is away again and again. */
  refresh(destination: Destination | undefined): void {
    const isFresh = this.#sight.isPresent && performance.now() - this.#lookedAt < FRESH_MS;
    if (!isFresh || directoryOf(destination) !== this.#directory) void this.look(destination);
  }

  /** Looks now. @returns what was found within five seconds; a place that has not answered by then is not there */
  async look(destination: Destination | undefined): Promise<DestinationSight> {
    const directory = directoryOf(destination);
    this.#lookedAt = performance.now();
    if (directory !== this.#directory) {
      this.#directory = directory;
      this.#found(UNSEEN);
    }
    if (directory === undefined) return UNSEEN;
    this.#looking ??= this.#look(directory).finally(() => (this.#looking = undefined));
    const timeout = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => timeout.resolve('late'), PATIENCE_MS);
    const answer = await Promise.race([this.#looking, timeout.promise]);
    clearTimeout(timer);
    if (answer === 'late') this.#found(GONE);
    return this.#sight;
  }

  async #look(directory: string): Promise<void> {
    const sight = await sightOf(directory);
    if (directory === this.#directory) this.#found(sight);
  }

  #found(sight: DestinationSight): void {
    const before = this.#sight;
    this.#sight = sight;
    if (sight.isPresent !== before.isPresent || sight.freeBytes !== before.freeBytes) this.#changed();
  }
}

/** Only a folder can be looked at. */
function directoryOf(destination: Destination | undefined): string | undefined {
  return destination?.kind === 'embedded' ? destination.directory : undefined;
}

async function sightOf(directory: string): Promise<DestinationSight> {
  try {
    if ((await inspectDirectory(directory)) !== 'store') return GONE;
  } catch {
    return GONE;
  }
  try {
    const { bavail, bsize } = await statfs(directory);
    return { isPresent: true, freeBytes: bavail * bsize };
  } catch {
    return { isPresent: true, freeBytes: undefined };
  }
}
