import type { DestinationChoice, AvailableDisk } from '../../../../ipc/contract/setup.ts';
import type { SetForm } from '../../../../ipc/contract/configured-set.ts';

/** Schedule of the first set, in the format of the agent. */
export type FirstSchedule = 'hourly' | 'daily' | 'manual';

/** Everything that the person has entered so far. It survives steps back. */
export interface Draft {
  /** `disk PATH`, `folder`, `service` or `bucket`; `undefined` before the choice. */
  readonly choice: string | undefined;
  readonly folder: string | undefined;
  readonly url: string;
  readonly bucket: BucketDraft;
  readonly email: string;
  readonly password: string;
  /** `undefined` for the name of the system. */
  readonly deviceName: string | undefined;
  /** ID of an existing device to continue as. */
  readonly deviceId: string | undefined;
  /** The recovery phrase of existing backups. */
  readonly phrase: string;
  /** The two words that the person has repeated. */
  readonly confirmed: readonly [string, string];
  /** The selected folders; `undefined` for the suggested ones. */
  readonly chosen: readonly string[] | undefined;
  /** Folders in addition to the suggestions. */
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
  choice: undefined,
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

/** Suggests a removable disk, or at least one that does not hold the files. */
export function suggestedDestination(disks: readonly AvailableDisk[]): string | undefined {
  const apart = disks.filter(({ isSameDisk }) => !isSameDisk);
  const best = apart.find(({ kind }) => kind === 'external') ?? apart[0];
  return best && diskValue(best.path);
}

/** Returns the destination of the draft; `undefined` while something is missing. */
export function destinationOf(draft: Draft, choice: string | undefined): DestinationChoice | undefined {
  if (choice === undefined) return undefined;
  if (choice.startsWith(DISK)) return { kind: 'folder', path: choice.slice(DISK.length) };
  if (choice === 'folder') return draft.folder === undefined ? undefined : { kind: 'folder', path: draft.folder };
  if (choice === 'service') {
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

/** Returns the words of a typed phrase without numbers, line breaks and punctuation. */
export function wordsOf(phrase: string): readonly string[] {
  return phrase
    .toLowerCase()
    .split(/[^\p{L}\p{M}]+/u)
    .filter((word) => word !== '');
}
