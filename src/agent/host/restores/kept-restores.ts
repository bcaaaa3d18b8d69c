import { join } from 'node:path';
import { z } from 'zod';
import { failure } from '../../../base/calls/answer.ts';
import { JsonFile } from '../../../base/json-file.ts';
import { restoreRequest } from '../../../ipc/contract/restore.ts';
import type { Home } from '../../home/home.ts';

const keptRestore = z.object({
  request: restoreRequest,
  /** What `restorePoint` of the request was understood as when it was asked for; milliseconds since the epoch. */
  at: z.union([z.number(), z.literal('latest')]),
  /** `stopped`: it does not go on by itself. */
  state: z.enum(['waiting', 'begun', 'stopped']),
  /** The number of its run; before it has begun, of the newest one of any kind at that time. */
  run: z.int(),
  /** What its target was on, as `volumeOf` names it. */
  volume: z.string().optional(),
  /** How often its process was killed. */
  cutOffs: z.int().nonnegative(),
  failure: failure.optional(),
});
export type KeptRestore = Readonly<z.infer<typeof keptRestore>>;

const form = z.object({ version: z.literal(1), restores: z.array(keptRestore) });

/** Keeps what a person asked to have back and does not have yet, so that it outlives the process that was asked. */
export class KeptRestores {
  readonly #file: JsonFile<typeof form>;
  #saved: string | undefined;

  constructor(home: Home) {
    this.#file = new JsonFile(join(home.folder, 'restores.json'), form);
  }

  /** Nothing where the file cannot be read: then nothing goes on by itself, and Activity has all that was begun. */
  load(): readonly KeptRestore[] {
    return this.#file.readSync(() => undefined)?.restores ?? [];
  }

  save(restores: readonly KeptRestore[]): void {
    const saved = JSON.stringify(restores);
    if (saved === this.#saved) return;
    try {
      if (restores.length === 0) this.#file.removeSync();
      else this.#file.writeSync({ version: 1, restores: [...restores] });
      this.#saved = saved;
    } catch {
      // A disk that is full is told of by the restore itself; it is not taken up again after a restart then.
    }
  }
}
