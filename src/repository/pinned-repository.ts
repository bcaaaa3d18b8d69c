import { join } from 'node:path';
import { z } from 'zod';
import { JsonFile } from '../base/files/json-file.ts';

const form = z.object({
  repository: z.string().regex(/^[0-9a-f]{32}$/),
  /** True once this home has written to it. */
  has_written: z.boolean(),
});

/**
 * Remembers which repository a writer writes to. Each destination of a home has a writer key of its own, so another id at the same
 * place is another repository, or an altered description.
 */
export class PinnedRepository {
  readonly #file: JsonFile<typeof form>;

  /** @param folder of this computer for all repositories */
  constructor(folder: string, writer: string) {
    this.#file = new JsonFile(join(folder, `writer-${writer}.json`), form);
  }

  /** Returns the id of the repository; `undefined` if this writer has opened none, or the file is damaged. */
  read(): string | undefined {
    return this.#file.readSync(() => undefined)?.repository;
  }

  /** Returns whether this home has written to the repository. A copy of the key alone has not. */
  get hasWritten(): boolean {
    return this.#file.readSync(() => undefined)?.has_written ?? false;
  }

  /** @throws HoldfastError `home_unwritable` */
  write(repository: string, hasWritten: boolean): void {
    if (this.read() === repository && this.hasWritten === hasWritten) return;
    this.#file.writeSync({ repository, has_written: hasWritten });
  }
}
