import { join } from 'node:path';
import { z } from 'zod';
import { JsonFile } from '../../../base/json-file.ts';
import type { ActiveRun } from '../../../ipc/state.ts';
import type { Home } from '../../home/home.ts';

const form = z.object({
  version: z.literal(1),
  set: z.string(),
  at: z.number(),
  filesDone: z.int().nonnegative(),
  bytesDone: z.int().nonnegative(),
});
type Kept = z.infer<typeof form>;

/** How far a backup was when it was cut off. */
export type Reached = Readonly<Pick<Kept, 'filesDone' | 'bytesDone'>>;

/** A crash costs so much of what is shown. */
const EVERY_MS = 3000;
/** What was sent for a run that nobody goes on with is cleared away at the destination after some days. */
const LASTS_MS = 24 * 3_600_000;

/** Keeps how far a backup is, so that one that goes on with it begins there for whoever watches. Only a picture: nothing depends on it. */
export class KeptProgress {
  readonly #file: JsonFile<typeof form>;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #writing: Promise<void> | undefined;

  constructor(home: Home) {
    this.#file = new JsonFile(join(home.folder, 'progress.json'), form);
  }

  /** Where the backup of a set was cut off. @param now milliseconds since the epoch */
  of(set: string, now: number): Reached | undefined {
    const kept = this.#file.readSync(() => undefined);
    if (kept?.set !== set || Math.abs(now - kept.at) >= LASTS_MS) return undefined;
    return { filesDone: kept.filesDone, bytesDone: kept.bytesDone };
  }

  /** To be told whenever a run has moved on; writes now and then, and keeps nobody waiting. */
  note(run: ActiveRun, now: number): void {
    if (run.kind !== 'backup' || this.#writing || Math.abs(now - this.#writtenAt) < EVERY_MS) return;
    this.#writtenAt = now;
    this.#writing = this.#file
      .write(contentOf(run, now))
      // The next one is written a little later.
      .catch(() => undefined)
      .finally(() => (this.#writing = undefined));
  }

  /** @param run as it was last, where something goes on with it; nothing where it is through */
  async ended(run: ActiveRun | undefined, now: number): Promise<void> {
    this.#writtenAt = Number.NEGATIVE_INFINITY;
    await this.#writing;
    try {
      if (run) this.#file.writeSync(contentOf(run, now));
      else this.#file.removeSync();
    } catch {
      // Then the next one begins at nothing, for whoever watches.
    }
  }
}

function contentOf({ set, filesDone, bytesDone }: ActiveRun, at: number): Kept {
  return { version: 1, set, at, filesDone, bytesDone };
}
