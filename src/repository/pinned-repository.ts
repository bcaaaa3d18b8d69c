import { join } from 'node:path';
import { z } from 'zod';
import { JsonFile } from '../base/json-file.ts';

const form = z.object({ repository: z.string().regex(/^[0-9a-f]{32}$/) });

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

  /** @throws HoldfastError `home_unwritable` */
  write(repository: string): void {
    this.#file.writeSync({ repository });
  }
}
