import { Command } from 'commander';
import type { SetupReport, SetupRequest } from '../../../agent/operations/setup.ts';
import type { StoreCaution } from '../../../agent/destination/try-store.ts';
import { locationOf } from '../../../agent/home/destination-location.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import type { CommandContext, GlobalOptions, Run } from '../../runner.ts';
import { phraseLines } from './phrase-lines.ts';

interface Options extends GlobalOptions {
  readonly destination?: string;
  readonly server?: string;
  readonly deviceId?: string;
  readonly deviceKeyFile?: string;
  readonly deviceName?: string;
  readonly email?: string;
  readonly passwordFile?: string;
  readonly code?: string;
  readonly provider?: string;
  readonly recoveryPhraseFile?: string;
  readonly passphraseFile?: string;
  readonly printJson?: boolean;
  readonly endpoint?: string;
  readonly region?: string;
  readonly user?: string;
  readonly identity?: string;
  readonly hostKey?: string;
}

const EXAMPLES = `
Examples:
  holdfast setup --destination /media/disk/backups
  holdfast setup --destination s3://my-bucket/laptop --endpoint https://s3.example.org    (keys from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY)
  holdfast setup --destination sftp://anna@nas.local/backups    (asks about the host key; or --host-key SHA256:...)
  holdfast setup --destination davs://anna@cloud.example.org/dav/backups --password-file pw.txt
  holdfast setup --destination rclone:drive:backups    (a remote that rclone config has set up)
  holdfast setup --server https://backup.example.org --device-id ID --device-key-file key.txt
  holdfast setup --server https://backup.example.org --email anna@example.org --password-file pw.txt --code 123456
  holdfast setup --server https://backup.example.org --provider company
  holdfast setup --destination /media/disk/backups --recovery-phrase-file phrase.txt    (adopts what is there)`;

export function setupCommand(run: Run): Command {
  return new Command('setup')
    .summary('choose where backups go')
    .description(
      'Chooses where backups go and makes the master key, shown once as a recovery phrase. With --recovery-phrase-file ' +
        'it takes over existing backups. The destination is tested first; if that fails, nothing is saved.',
    )
    .option(
      '--destination <dir>',
      'store in this folder, which is created if it is missing, or in s3://BUCKET[/PREFIX], ' +
        'sftp://USER@HOST[:PORT]/PATH, davs://HOST/PATH (WebDAV; dav:// without encryption) or rclone:REMOTE:PATH',
    )
    .option('--endpoint <url>', 'the address of the S3 server, if it is not Amazon')
    .option('--region <region>', 'the region of the bucket')
    .option('--user <name>', 'the user on the SSH or WebDAV server, if the address does not name one')
    .option('--identity <file>', 'the SSH key; by default ~/.ssh/id_ed25519, ~/.ssh/id_rsa or the SSH agent')
    .option('--host-key <fingerprint>', "accept the SSH server's key of this fingerprint without asking")
    .option('--server <url>', 'store at a service')
    .option('--device-id <id>', 'continue as this device of the account')
    .option('--device-key-file <file>', "sign in with this device's key")
    .option('--email <email>', 'sign in as a person')
    .option('--password-file <file>', "the password of the person or user, or the SSH key's passphrase")
    .option('--code <code>', 'the code that the authenticator app shows')
    .option('--provider <name>', 'sign in as a person with a browser, at an identity provider of the service')
    .option('--device-name <name>', "the new device's name; this computer's by default")
    .option('--recovery-phrase-file <file>', 'take over the key of existing backups')
    .option('--passphrase-file <file>', 'let this passphrase open the key too, kept sealed with the backups')
    .option('--print-json', 'recovery_phrase and device_id as JSON on stdout')
    .addHelpText('after', EXAMPLES)
    .action((_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      const json = options.json === true || options.printJson === true;
      return run({ ...options, json }, async (context) => {
        const request = await requestOf(options, context);
        const agent = await context.agent();
        return setupOutcome(await agent.setup(request, context.signal));
      });
    });
}

async function requestOf(options: Options, { output, signal }: CommandContext): Promise<SetupRequest> {
  const [{ readSecretFile }, { setupDestination }, { signInDialogue }, { hostKeyDialogue }] = await Promise.all([
    import('../../secret-file.ts'),
    import('./setup-choice.ts'),
    import('./sign-in-dialogue.ts'),
    import('./host-key-dialogue.ts'),
  ]);
  const { deviceId, deviceName } = options;
  const secret = <Name extends string>(name: Name, file: string | undefined): Partial<Record<Name, string>> =>
    file === undefined ? {} : ({ [name]: readSecretFile(file) } as Record<Name, string>);
  const choice = {
    ...options,
    ...secret('deviceKey', options.deviceKeyFile),
    ...secret('password', options.passwordFile),
  };
  const destination = setupDestination(
    choice,
    signInDialogue(output, options.code, signal),
    hostKeyDialogue(output, signal),
  );
  return {
    destination,
    ...(deviceId === undefined ? {} : { deviceId }),
    ...(deviceName === undefined ? {} : { deviceName }),
    ...secret('recoveryPhrase', options.recoveryPhraseFile),
    ...secret('passphrase', options.passphraseFile),
  };
}

function setupOutcome(report: SetupReport): Outcome {
  const value = {
    recovery_phrase: report.recoveryPhrase,
    device_id: report.deviceId,
    device_name: report.deviceName,
    adopted: report.adopted,
    cautions: report.cautions,
    backup_sets: (report.storedSets ?? []).map(({ deviceId, backupSet }) => ({ device_id: deviceId, name: backupSet })),
  };
  const warnings = report.cautions.map((caution) => CAUTIONS[caution]);
  return outcome(value, setupLines(report), { warnings });
}

const CAUTIONS: Readonly<Record<StoreCaution, string>> = {
  overwrites: 'this store replaces files instead of refusing to; set up one computer at a time there.',
  races: 'two computers that set up there at the same moment may disturb each other; set up one at a time.',
  grows: 'nothing can be deleted there, so removed restore points free no space.',
  'power-cut': 'whether the newest files survive a power cut is up to that server.',
  unencrypted: 'the connection is not encrypted, which may show the password to others; davs:// is.',
};

function setupLines(report: SetupReport): string[] {
  const own = (report.storedSets ?? []).filter(({ deviceId }) => deviceId === report.deviceId);
  const others = (report.storedSets ?? []).filter(({ deviceId }) => deviceId !== report.deviceId);
  return [
    `Backups go to ${locationOf(report.destination)}, as device ${report.deviceId} (${report.deviceName}).`,
    ...(report.adopted ? [] : ['', ...NEW_PHRASE, '', ...phraseLines(report.recoveryPhrase)]),
    ...(own.length > 0 ? [`This device's backup sets there: ${own.map(({ backupSet }) => backupSet).join(', ')}`] : []),
    ...(others.length > 0 ? ["Other devices' backup sets there (read them with --device ID):"] : []),
    ...others.map(({ deviceId, backupSet }) => `  ${backupSet}, of device ${deviceId}`),
    '',
    'Next: holdfast set add NAME PATH...',
  ];
}

const NEW_PHRASE = [
  'This is the recovery phrase. Write it down and keep it apart from this computer: without it',
  'nobody can open the backups when this computer is lost, and whoever has it can.',
] as const;
