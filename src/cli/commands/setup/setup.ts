import { Command } from 'commander';
import type { SetupReport, SetupRequest } from '../../../agent/operations/setup.ts';
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
}

const EXAMPLES = `
Examples:
  holdfast setup --destination /media/disk/backups
  holdfast setup --destination s3://my-bucket/laptop --endpoint https://s3.example.org    (keys from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY)
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
      'store in this folder, which is created if it is missing, or in s3://BUCKET[/PREFIX]',
    )
    .option('--endpoint <url>', 'the address of the S3 server, if it is not Amazon')
    .option('--region <region>', 'the region of the bucket')
    .option('--server <url>', 'store at a service')
    .option('--device-id <id>', 'continue as this device of the account')
    .option('--device-key-file <file>', "sign in with this device's key")
    .option('--email <email>', 'sign in as a person')
    .option('--password-file <file>', "the person's password")
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
        return setupOutcome(request, await agent.setup(request, context.signal));
      });
    });
}

async function requestOf(options: Options, { output, signal }: CommandContext): Promise<SetupRequest> {
  const [{ readSecretFile }, { setupDestination }, { signInDialogue }] = await Promise.all([
    import('../../secret-file.ts'),
    import('./setup-choice.ts'),
    import('./sign-in-dialogue.ts'),
  ]);
  const { deviceId, deviceName } = options;
  const secret = <Name extends string>(name: Name, file: string | undefined): Partial<Record<Name, string>> =>
    file === undefined ? {} : ({ [name]: readSecretFile(file) } as Record<Name, string>);
  const choice = {
    ...options,
    ...secret('deviceKey', options.deviceKeyFile),
    ...secret('password', options.passwordFile),
  };
  const destination = setupDestination(choice, signInDialogue(output, options.code, signal));
  return {
    destination,
    ...(deviceId === undefined ? {} : { deviceId }),
    ...(deviceName === undefined ? {} : { deviceName }),
    ...secret('recoveryPhrase', options.recoveryPhraseFile),
    ...secret('passphrase', options.passphraseFile),
  };
}

function setupOutcome(request: SetupRequest, report: SetupReport): Outcome {
  const value = {
    recovery_phrase: report.recoveryPhrase,
    device_id: report.deviceId,
    device_name: report.deviceName,
    adopted: report.adopted,
    backup_sets: (report.storedSets ?? []).map(({ deviceId, backupSet }) => ({ device_id: deviceId, name: backupSet })),
  };
  return outcome(value, setupLines(request, report));
}

function whereOf(destination: SetupRequest['destination']): string {
  if (destination.kind === 'folder') return destination.directory;
  return destination.kind === 'bucket' ? destination.address : destination.url;
}

function setupLines(request: SetupRequest, report: SetupReport): string[] {
  const { destination } = request;
  const where = whereOf(destination);
  const own = (report.storedSets ?? []).filter(({ deviceId }) => deviceId === report.deviceId);
  const others = (report.storedSets ?? []).filter(({ deviceId }) => deviceId !== report.deviceId);
  return [
    `Backups go to ${where}, as device ${report.deviceId} (${report.deviceName}).`,
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
