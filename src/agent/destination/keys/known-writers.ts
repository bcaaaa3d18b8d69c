import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isHoldfastError } from '../../../base/errors/errors.ts';
import { JsonFile } from '../../../base/files/json-file.ts';
import { makePrivateFolderSync } from '../../../os/filesystem/make-folder.ts';
import { PinnedRepository } from '../../../repository/pinned-repository.ts';
import { Projection } from '../../../repository/projection/projection.ts';
import type { DestinationEntry } from '../../home/destination-entry.ts';
import type { Home } from '../../home/home.ts';
import type { KeyStore } from '../../key-store/key-store.ts';
import { ENVELOPES_FOLDER } from './known-envelopes.ts';
import { REPOSITORIES_FOLDER, writerKeyOf } from './writer-key.ts';

const form = z.object({ version: z.literal(1), writers: z.array(z.string()) });

/**
 * Remembers the writers of a repository that was away when the key was changed. Until it gets the new key, whoever has the old one can join it,
 * so only these get the new one.
 */
export class KnownWriters {
  readonly #home: Home;
  readonly #file: JsonFile<typeof form>;

  /** @param destination its id */
  constructor(home: Home, destination: string) {
    this.#home = home;
    this.#file = new JsonFile(join(home.folder, ENVELOPES_FOLDER, `${destination}-writers.json`), form);
  }

  /** Returns `undefined` unless the key was changed while the destination was away. A damaged file knows nobody. */
  read(): ReadonlySet<string> | undefined {
    const stored = this.#file.readSync(() => ({ writers: [] }));
    return stored && new Set(stored.writers);
  }

  /** @throws HoldfastError `home_unwritable` */
  write(writers: readonly string[]): void {
    makePrivateFolderSync(join(this.#home.folder, ENVELOPES_FOLDER));
    this.#file.writeSync({ version: 1, writers: [...writers] });
  }

  forget(): void {
    this.#file.removeSync();
  }
}

/** Remembers what this home has read of the writers of destinations that do not get a new key now. What was remembered before stays. */
export async function rememberWriters(
  home: Home,
  keyStore: KeyStore,
  destinations: readonly DestinationEntry[],
): Promise<void> {
  for (const { id, credentials, destination } of destinations) {
    const known = new KnownWriters(home, id);
    if (destination.kind !== 'service' && !known.read()) known.write(await writersAt(home, keyStore.at(credentials)));
  }
}

async function writersAt(home: Home, keyStore: KeyStore): Promise<readonly string[]> {
  const deviceKey = (await keyStore.load().catch(asUnreadable))?.deviceKey;
  if (deviceKey === undefined) return [];
  const folder = join(home.folder, REPOSITORIES_FOLDER);
  const own = writerKeyOf(deviceKey).id;
  const repository = new PinnedRepository(folder, own).read();
  const file = repository === undefined ? undefined : join(folder, repository, 'projection.sqlite');
  if (repository === undefined || file === undefined || !existsSync(file)) return [own];
  using projection = new Projection(file, repository);
  return [own, ...projection.ledgers.writers().map(({ id }) => id)];
}

function asUnreadable(error: unknown): undefined {
  if (!isHoldfastError(error)) throw error;
}
