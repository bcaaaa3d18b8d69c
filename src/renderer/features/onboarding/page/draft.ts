import type { DestinationChoice, Place } from '../../../../ipc/contract/setup.ts';
import type { SetForm } from '../../../../ipc/contract/sets.ts';

/** How often the first set is backed up, as the agent reads it. */
export type FirstSchedule = 'hourly' | 'daily' | 'manual';

/** Everything that a person has entered so far: it outlives every step back. */
export interface Draft {
  /** `disk PATH`, `folder`, `service` or `bucket`; nothing before somebody has chosen. */
  readonly place: string | undefined;
  readonly folder: string | undefined;
  readonly url: string;
  readonly bucket: BucketDraft;
  readonly email: string;
  readonly password: string;
  /** Nothing while it is the name of the system. */
  readonly deviceName: string | undefined;
  /** Of a device to go on as. */
  readonly deviceId: string | undefined;
  /** Of backups that are there. */
  readonly phrase: string;
  /** What was written down of the two words. */
  readonly confirmed: readonly [string, string];
  /** Folders that are ticked; nothing while it is what is suggested. */
  readonly chosen: readonly string[] | undefined;
  /** Folders that are none of the suggestions. */
  readonly added: readonly string[];
  readonly setName: string | undefined;
  readonly schedule: FirstSchedule;
  /** The set that was saved from this, and the folders that its backups leave out. */
  readonly saved: { readonly form: SetForm; readonly passedOver: readonly string[] } | undefined;
}

export interface BucketDraft {
  readonly address: string;
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export const EMPTY_DRAFT: Draft = {
  place: undefined,
  folder: undefined,
  url: '',
  bucket: { address: '', endpoint: '', region: '', accessKeyId: '', secretAccessKey: '' },
  email: '',
  password: '',
  deviceName: undefined,
  deviceId: undefined,
  phrase: '',
  confirmed: ['', ''],
  chosen: undefined,
  added: [],
  setName: undefined,
  schedule: 'hourly',
  saved: undefined,
};

const DISK = 'disk ';

export function diskValue(path: string): string {
  return `${DISK}${path}`;
}

/** The disk to suggest: one that can be unplugged, or at least another one than the files are on. */
export function suggestedPlace(places: readonly Place[]): string | undefined {
  const apart = places.filter(({ isSameDisk }) => !isSameDisk);
  const best = apart.find(({ kind }) => kind === 'external') ?? apart[0];
  return best && diskValue(best.path);
}

/** Where backups shall go by the draft; nothing while something of it is missing. */
export function destinationOf(draft: Draft, place: string | undefined): DestinationChoice | undefined {
  if (place === undefined) return undefined;
  if (place.startsWith(DISK)) return { kind: 'folder', path: place.slice(DISK.length) };
  if (place === 'folder') return draft.folder === undefined ? undefined : { kind: 'folder', path: draft.folder };
  if (place === 'service') {
    const url = draft.url.trim();
    return url === '' ? undefined : { kind: 'service', url };
  }
  const address = draft.bucket.address.trim();
  const accessKeyId = draft.bucket.accessKeyId.trim();
  const { secretAccessKey } = draft.bucket;
  if (address === '' || accessKeyId === '' || secretAccessKey === '') return undefined;
  const endpoint = draft.bucket.endpoint.trim();
  const region = draft.bucket.region.trim();
  return {
    kind: 'bucket',
    address,
    accessKeyId,
    secretAccessKey,
    ...(endpoint === '' ? {} : { endpoint }),
    ...(region === '' ? {} : { region }),
  };
}

/** The words of a phrase, however they were typed: numbered, in lines, with any punctuation. */
export function wordsOf(phrase: string): readonly string[] {
  return phrase
    .toLowerCase()
    .split(/[^\p{L}\p{M}]+/u)
    .filter((word) => word !== '');
}
