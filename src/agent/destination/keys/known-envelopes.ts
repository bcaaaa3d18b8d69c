import { join } from 'node:path';
import { z } from 'zod';
import { JsonFile } from '../../../base/files/json-file.ts';
import { makePrivateFolderSync } from '../../../os/filesystem/make-folder.ts';
import type { Home } from '../../home/home.ts';
import type { StoredSet } from './account-keys.ts';

/** Folder of a home for the key envelopes that it has seen at services, by the ids of the destinations. */
export const ENVELOPES_FOLDER = 'envelopes';

/** The key envelope of a set's newest restore point. */
export interface KnownEnvelope extends StoredSet {
  /** The time of the restore point, as the service states it; `undefined` if it lists no sets. */
  readonly restorePoint: string | undefined;
  readonly bytes: Uint8Array;
}

const form = z.object({
  version: z.literal(1),
  sets: z.array(
    z.object({
      device: z.string(),
      set: z.string(),
      restore_point: z.string().optional(),
      envelope: z.base64().transform((text) => new Uint8Array(Buffer.from(text, 'base64'))),
    }),
  ),
});

/** Remembers the key envelopes of other devices at a service: they are read again only when their sets change, and missed when they are gone. */
export class KnownEnvelopes {
  readonly #folder: string;
  readonly #file: JsonFile<typeof form>;

  /** @param destination its id */
  constructor(home: Home, destination: string) {
    this.#folder = join(home.folder, ENVELOPES_FOLDER);
    this.#file = new JsonFile(join(this.#folder, `${destination}.json`), form);
  }

  /** A damaged file counts as empty: everything is read again. */
  read(): readonly KnownEnvelope[] {
    const sets = this.#file.readSync(() => undefined)?.sets ?? [];
    return sets.map(({ device: deviceId, set: backupSet, restore_point: restorePoint, envelope: bytes }) => {
      return { deviceId, backupSet, restorePoint, bytes };
    });
  }

  /** @throws HoldfastError `home_unwritable` */
  write(known: readonly KnownEnvelope[]): void {
    makePrivateFolderSync(this.#folder);
    this.#file.writeSync({
      version: 1,
      sets: known.map(({ deviceId, backupSet, restorePoint, bytes }) => ({
        device: deviceId,
        set: backupSet,
        ...(restorePoint !== undefined && { restore_point: restorePoint }),
        envelope: Buffer.from(bytes).toString('base64'),
      })),
    });
  }
}
