import type { SetForm } from '../../../../model/set.ts';
import { EMPTY_DESTINATION } from '../../destination-choice/destination-draft.ts';
import type { DestinationDraft } from '../../destination-choice/destination-draft.ts';

/** Schedule of the first set, in the format of the agent. */
export type FirstSchedule = 'hourly' | 'daily' | 'manual';

/** The fields of which one opens existing backups. */
export type OpensBy = 'phrase' | 'keyCode' | 'passphrase';

/** Everything that the person has entered so far. It survives steps back. */
export interface Draft {
  /** Whether the person makes new backups or has some already. */
  readonly aim: 'new' | 'existing';
  readonly destination: DestinationDraft;
  readonly email: string;
  readonly password: string;
  /** `undefined` for the name of the system. */
  readonly deviceName: string | undefined;
  /** ID of an existing device to continue as. */
  readonly deviceId: string | undefined;
  /** What opens existing backups. */
  readonly opensBy: OpensBy;
  /** Their recovery phrase. */
  readonly phrase: string;
  /** A one-time code that another computer shows. */
  readonly keyCode: string;
  readonly passphrase: string;
  /** The two words that the person has repeated. */
  readonly confirmed: readonly [string, string];
  /** The selected folders; `undefined` for the suggested ones. */
  readonly chosen: readonly string[] | undefined;
  /** Folders in addition to the suggestions. */
  readonly added: readonly string[];
  readonly setName: string | undefined;
  readonly schedule: FirstSchedule;
  readonly recommended: Recommended;
  /** The set that was saved from this, and the folders that its backups leave out. */
  readonly saved: { readonly form: SetForm; readonly passedOver: readonly string[] } | undefined;
}

/** What the first set does beyond backing up. Each can be turned off. */
export interface Recommended {
  /** The service gets only sealed names. */
  readonly privateNames: boolean;
  readonly startAtLogin: boolean;
  readonly checksMonthly: boolean;
  readonly drillsWeekly: boolean;
  readonly thinsOut: boolean;
}

export const EMPTY_DRAFT: Draft = {
  aim: 'new',
  destination: EMPTY_DESTINATION,
  email: '',
  password: '',
  deviceName: undefined,
  deviceId: undefined,
  opensBy: 'phrase',
  phrase: '',
  keyCode: '',
  passphrase: '',
  confirmed: ['', ''],
  chosen: undefined,
  added: [],
  setName: undefined,
  schedule: 'hourly',
  recommended: { privateNames: true, startAtLogin: true, checksMonthly: true, drillsWeekly: true, thinsOut: true },
  saved: undefined,
};

/** Returns the words of a typed phrase without numbers, line breaks and punctuation. */
export function wordsOf(phrase: string): readonly string[] {
  return phrase
    .toLowerCase()
    .split(/[^\p{L}\p{M}]+/u)
    .filter((word) => word !== '');
}
