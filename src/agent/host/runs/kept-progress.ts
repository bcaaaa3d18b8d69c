import { readFileSync, rmSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { ActiveRun } from '../../../ipc/state.ts';
import { writeFileAtomicallySync } from '../../home/atomic-file.ts';
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
  readonly #file: string;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #writing: Promise<void> | undefined;
  #isOver = false;

  constructor(home: Home) {
    this.#file = join(home.folder, 'progress.json');
  }

  /** Where the backup of a set was cut off. @param now milliseconds since the epoch */
  of(set: string, now: number): Reached | undefined {
    try {
      const { set: of, at, filesDone, bytesDone } = form.parse(JSON.parse(readFileSync(this.#file, 'utf8')));
      return of === set && Math.abs(now - at) < LASTS_MS ? { filesDone, bytesDone } : undefined;
    } catch {
      return undefined;
    }
  }

  /** To be told whenever a run has moved on; writes now and then, and keeps nobody waiting. */
  note(run: ActiveRun, now: number): void {
    if (run.kind !== 'backup' || this.#writing || Math.abs(now - this.#writtenAt) < EVERY_MS) return;
    this.#writtenAt = now;
    this.#isOver = false;
    this.#writing = this.#write(run, now).finally(() => (this.#writing = undefined));
  }

  /** @param run as it was last, where something goes on with it; nothing where it is through */
  async ended(run: ActiveRun | undefined, now: number): Promise<void> {
    this.#isOver = true;
    this.#writtenAt = Number.NEGATIVE_INFINITY;
    await this.#writing;
    try {
      if (run) writeFileAtomicallySync(this.#file, textOf(run, now));
      else rmSync(this.#file, { force: true });
    } catch {
      // Then the next one begins at nothing, for whoever watches.
    }
  }

  async #write(run: ActiveRun, now: number): Promise<void> {
    const temporary = `${this.#file}.new`;
    try {
      await writeFile(temporary, textOf(run, now), { mode: 0o600 });
      if (!this.#isOver) await rename(temporary, this.#file);
    } catch {
      // As above.
    }
  }
}

function textOf({ set, filesDone, bytesDone }: ActiveRun, at: number): string {
  return `${JSON.stringify({ version: 1, set, at, filesDone, bytesDone } satisfies Kept)}\n`;
}
