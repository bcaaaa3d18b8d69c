import { createHash } from 'node:crypto';
import type { MetadataStore } from '../../metadata-store.ts';
import { placeOfStore } from '../../database/store-directory.ts';

/** Where the service of these data is. */
export const PLACE_SECRET = 'place';

/** Returns what is stored about a place. */
export function nameOfPlace(place: string): Buffer {
  return createHash('sha256').update('place').update(place).digest();
}

/** When a copy became the service, in milliseconds since the epoch. */
const TAKEN_OVER_SECRET = 'taken-over';

type Secrets = Pick<MetadataStore, 'place' | 'claimSecret' | 'findSecret' | 'replaceSecret'>;

/**
 * Whether a service's data are a copy, for which nobody has said yet that it is the service now. The service of the data is where they
 * were first served: a folder, or a database of a PostgreSQL cluster. Everywhere else they are a copy, which is muted: the original may
 * be running, whose webhooks it would send again, and whose blobs it would delete.
 */
export class CopyState {
  readonly #metadata: Secrets;
  readonly #place: Buffer;
  #isMuted: boolean;
  #takenOverAt: number | undefined;

  private constructor(metadata: Secrets, place: Buffer, isMuted: boolean, takenOverAt: number | undefined) {
    this.#metadata = metadata;
    this.#place = place;
    this.#isMuted = isMuted;
    this.#takenOverAt = takenOverAt;
  }

  /** Data that were never served before are those of this service. */
  static async open(metadata: Secrets, directory: string): Promise<CopyState> {
    const place = await placeOf(metadata, directory);
    const served = await metadata.claimSecret(PLACE_SECRET, place);
    return new CopyState(metadata, place, !served.equals(place), await readTakeOver(metadata));
  }

  get isMuted(): boolean {
    return this.#isMuted;
  }

  /** When the service became this one, in milliseconds since the epoch; `undefined` if it always was. */
  get takenOverAt(): number | undefined {
    return this.#takenOverAt;
  }

  /** Reads whether somebody has taken over meanwhile. */
  async refresh(): Promise<void> {
    this.#isMuted = (await this.#metadata.findSecret(PLACE_SECRET))?.equals(this.#place) !== true;
    this.#takenOverAt = await readTakeOver(this.#metadata);
  }
}

/** Makes a copy the service of its data. Returns false if it was that already. */
export async function takeOver(metadata: Secrets, directory: string, now: number): Promise<boolean> {
  const place = await placeOf(metadata, directory);
  if ((await metadata.findSecret(PLACE_SECRET))?.equals(place) === true) return false;
  await metadata.replaceSecret(TAKEN_OVER_SECRET, Buffer.from(String(now)));
  await metadata.replaceSecret(PLACE_SECRET, place);
  return true;
}

async function readTakeOver(metadata: Secrets): Promise<number | undefined> {
  const found = await metadata.findSecret(TAKEN_OVER_SECRET);
  return found && Number(found.toString());
}

async function placeOf(metadata: Secrets, directory: string): Promise<Buffer> {
  return nameOfPlace((await metadata.place()) ?? (await placeOfStore(directory)));
}
