import type { Command } from 'commander';
import type { StoreCaution } from '../../../model/destination.ts';
import type { SetupDestination } from '../../../agent/setup/join-request.ts';
import type { CommandContext, GlobalOptions } from '../../runner.ts';
import { parityShare, wholeNumber } from '../arguments.ts';

/** The options that choose a destination and how to sign in there. */
export interface DestinationOptions extends GlobalOptions {
  readonly destination?: string;
  readonly server?: string;
  readonly deviceId?: string;
  readonly deviceKeyFile?: string;
  readonly deviceName?: string;
  readonly email?: string;
  readonly passwordFile?: string;
  readonly code?: string;
  readonly provider?: string;
  readonly endpoint?: string;
  readonly region?: string;
  readonly user?: string;
  readonly identity?: string;
  readonly hostKey?: string;
  readonly parity?: number;
  readonly objectLock?: number;
}

/** The options of a sign-in at a service. */
export function withSignIn(command: Command): Command {
  return command
    .option('--device-key-file <file>', "sign in with this device's key")
    .option('--email <email>', 'sign in as a person')
    .option('--password-file <file>', 'the password of the person')
    .option('--code <code>', 'the code that the authenticator app shows')
    .option('--provider <name>', 'sign in as a person with a browser, at an identity provider of the service');
}

export function withDestination(command: Command): Command {
  return command
    .option(
      '--destination <dir>',
      'store in this folder, which is created if it is missing, or in s3://BUCKET[/PREFIX], ' +
        'sftp://USER@HOST[:PORT]/PATH, davs://HOST/PATH (WebDAV; dav:// without encryption) or rclone:REMOTE:PATH',
    )
    .option('--endpoint <url>', 'the address of the S3 server, if it is not Amazon')
    .option('--region <region>', 'the region of the bucket')
    .option(
      '--object-lock <days>',
      'let the bucket refuse to delete any file for so many days after each backup, whoever asks: for a bucket with ' +
        'object lock. Nobody can shorten it, so it cannot be undone',
      wholeNumber('--object-lock', 1, 365),
    )
    .option('--user <name>', 'the user on the SSH or WebDAV server, if the address does not name one')
    .option('--identity <file>', 'the SSH key; by default ~/.ssh/id_ed25519, ~/.ssh/id_rsa or the SSH agent')
    .option('--host-key <fingerprint>', "accept the SSH server's key of this fingerprint without asking")
    .option(
      '--parity <percent>',
      'also store this percentage of parity, for a disk that ages: "holdfast repair" then mends damaged files. ' +
        'It cannot be changed later; off by default',
      parityShare,
    )
    .option('--server <url>', 'store at a service')
    .option('--device-id <id>', 'continue as this device of the account')
    .option('--device-key-file <file>', "sign in with this device's key")
    .option('--email <email>', 'sign in as a person')
    .option('--password-file <file>', "the password of the person or user, or the SSH key's passphrase")
    .option('--code <code>', 'the code that the authenticator app shows')
    .option('--provider <name>', 'sign in as a person with a browser, at an identity provider of the service')
    .option('--device-name <name>', "the new device's name; this computer's by default");
}

/** Asks for what a sign-in or an SSH server needs besides. @throws HoldfastError `usage` if the options contradict each other */
export async function chosenDestination(
  options: DestinationOptions,
  { output, signal }: CommandContext,
): Promise<SetupDestination> {
  const [{ setupDestination }, { signInDialogue }, { hostKeyDialogue }] = await Promise.all([
    import('./setup-choice.ts'),
    import('./sign-in-dialogue.ts'),
    import('./host-key-dialogue.ts'),
  ]);
  const choice = {
    ...options,
    ...(await secretIn('deviceKey', options.deviceKeyFile)),
    ...(await secretIn('password', options.passwordFile)),
  };
  return setupDestination(choice, signInDialogue(output, options.code, signal), hostKeyDialogue(output, signal));
}

/** Reads a secret from its file, if there is one. */
export async function secretIn<Name extends string>(
  name: Name,
  file: string | undefined,
): Promise<Partial<Record<Name, string>>> {
  if (file === undefined) return {};
  const { readSecretFile } = await import('../../secret-file.ts');
  return { [name]: readSecretFile(file) } as Record<Name, string>;
}

/** What is said if backups that exist have another share of parity than was chosen. */
export function parityTexts(chosen: number | undefined, actual: number | undefined): string[] {
  if (chosen === undefined || actual === undefined || chosen === actual) return [];
  const has = actual === 0 ? 'none' : `${actual} %`;
  return [`the parity was chosen when the backups there were begun, and stays as it is: ${has}.`];
}

/** What a store does not promise, as warnings. */
export function cautionTexts(cautions: readonly StoreCaution[]): string[] {
  return cautions.map((caution) => CAUTIONS[caution]);
}

const CAUTIONS: Readonly<Record<StoreCaution, string>> = {
  overwrites: 'this store replaces files instead of refusing to; set up one computer at a time there.',
  races: 'two computers that set up there at the same moment may disturb each other; set up one at a time.',
  grows: 'nothing can be deleted there, so removed restore points free no space.',
  versions:
    'the bucket keeps old versions of what is deleted, so removed restore points free space only once a rule of the bucket (lifecycle) deletes these.',
  'power-cut': 'whether the newest files survive a power cut is up to that server.',
  unencrypted:
    'the connection is not encrypted: others on the network can read the password and impersonate you; use https:// or davs://.',
  'read-only': 'nothing can be written there: the backups can be restored, and none can be added.',
};
