import type { AvailableDisk, DestinationChoice } from '../../../ipc/contract/setup.ts';

export type ChoiceOf<Kind extends DestinationChoice['kind']> = Extract<DestinationChoice, { kind: Kind }>;

/** The kinds behind the card of servers and cloud storage. */
export const SERVER_KINDS = ['sftp', 'webdav', 'bucket', 'rclone'] as const;
export type ServerKind = (typeof SERVER_KINDS)[number];

/** What the person has entered about a destination. */
export interface DestinationDraft {
  /** The selected card: `disk PATH`, `folder`, `server` or `service`; `undefined` before the choice. */
  readonly card: string | undefined;
  /** The kind behind the card `server`. */
  readonly server: ServerKind;
  /** The share of parity, in percent, for what is not a service. */
  readonly parity: number;
  /** Kept for each kind, also while another one is selected. Texts that are missing are empty. */
  readonly entered: { readonly [Kind in DestinationChoice['kind']]: ChoiceOf<Kind> };
}

/** The shares of parity to choose from, in percent. */
export const PARITY_SHARES = [0, 5, 10, 20, 50, 100] as const;

/** The days of an object lock to choose from. */
export const LOCK_DAYS = [0, 7, 14, 30, 60, 90, 180, 365] as const;

/** The folder of backups among other things; on a server it is created. */
const OWN_FOLDER = 'Holdfast';

export const EMPTY_DESTINATION: DestinationDraft = {
  card: undefined,
  server: 'sftp',
  parity: 0,
  entered: {
    folder: { kind: 'folder', path: '' },
    bucket: { kind: 'bucket', address: '', endpoint: '', region: '', accessKeyId: '', secretAccessKey: '' },
    sftp: { kind: 'sftp', host: '', user: '', path: OWN_FOLDER, signIn: { kind: 'password', password: '' } },
    webdav: { kind: 'webdav', address: '', user: '', password: '' },
    rclone: { kind: 'rclone', remote: '', folder: OWN_FOLDER },
    service: { kind: 'service', url: '' },
  },
};

const DISK = 'disk ';

export function diskValue(path: string): string {
  return `${DISK}${path}`;
}

/** Suggests a removable disk, or at least one that does not hold the files. @param isExisting prefers one with backups */
export function suggestedDestination(disks: readonly AvailableDisk[], isExisting = false): string | undefined {
  const apart = disks.filter(({ isSameDisk }) => !isSameDisk);
  const filled = isExisting ? disks.find(({ holdsBackups }) => holdsBackups) : undefined;
  const best = filled ?? apart.find(({ kind }) => kind === 'external') ?? apart[0];
  return best && diskValue(best.path);
}

/** Returns whether the card names the destination completely, as a disk does. */
export function isDisk({ card }: DestinationDraft): boolean {
  return card?.startsWith(DISK) === true;
}

/** Returns the choice of a draft, which may be incomplete; `undefined` before a card is selected. */
export function choiceOf(draft: DestinationDraft): DestinationChoice | undefined {
  const choice = withoutParity(draft);
  if (choice === undefined || choice.kind === 'service' || draft.parity === 0) return choice;
  return { ...choice, parity: draft.parity };
}

function withoutParity({ card, server, entered }: DestinationDraft): DestinationChoice | undefined {
  if (card === undefined) return undefined;
  if (card.startsWith(DISK)) return { kind: 'folder', path: card.slice(DISK.length) };
  return card === 'server' ? entered[server] : entered[card as 'folder' | 'service'];
}

/** Returns a draft with another choice of the same kind. */
export function withChoice(draft: DestinationDraft, choice: DestinationChoice): DestinationDraft {
  return { ...draft, entered: { ...draft.entered, [choice.kind]: choice } };
}

/** Returns whether nothing that is needed is missing. */
export function isComplete(choice: DestinationChoice): boolean {
  return neededTexts(choice).every((text) => text.trim() !== '');
}

function neededTexts(choice: DestinationChoice): readonly string[] {
  switch (choice.kind) {
    case 'folder':
      return [choice.path];
    case 'bucket':
      return [choice.address, choice.accessKeyId, choice.secretAccessKey];
    case 'sftp':
      return [choice.host, choice.user, ...neededForSignIn(choice.signIn)];
    case 'webdav':
      return [choice.address, ...(hasUser(choice) ? [choice.password ?? ''] : [])];
    case 'rclone':
      return [choice.remote];
    case 'service':
      return [choice.url];
  }
}

function neededForSignIn(signIn: ChoiceOf<'sftp'>['signIn']): readonly string[] {
  switch (signIn.kind) {
    case 'password':
      return [signIn.password];
    case 'key-file':
      return [signIn.file];
    case 'default':
      return [];
  }
}

/** Returns whether a WebDAV server requires a password, which it does for a user. */
export function hasUser({ user = '' }: ChoiceOf<'webdav'>): boolean {
  return user.trim() !== '';
}
