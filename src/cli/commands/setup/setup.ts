import { Command } from 'commander';
import type { SetupReport, SetupRequest } from '../../../agent/operations/setup.ts';
import { locationOf } from '../../../agent/home/destination-location.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import type { CommandContext, Run } from '../../runner.ts';
import { printable } from '../../text.ts';
import {
  cautionTexts,
  chosenDestination,
  parityTexts,
  secretIn,
  withDestination,
  type DestinationOptions,
} from './destination-options.ts';
import { diskWarnings } from './disk-warnings.ts';
import { phraseLines } from './phrase-lines.ts';

interface Options extends DestinationOptions {
  readonly recoveryPhraseFile?: string;
  readonly passphraseFile?: string;
  readonly keyCode?: string;
  readonly printJson?: boolean;
}

const EXAMPLES = `
Examples:
  holdfast setup --destination /media/disk/backups
  holdfast setup --destination /media/old-disk/backups --parity 10    (mends damage of the disk)
  holdfast setup --destination s3://my-bucket/laptop --endpoint https://s3.example.org    (keys from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY)
  holdfast setup --destination sftp://anna@nas.local/backups    (asks about the host key; or --host-key SHA256:...)
  holdfast setup --destination davs://anna@cloud.example.org/dav/backups --password-file pw.txt
  holdfast setup --destination rclone:drive:backups    (a remote that rclone config has set up)
  holdfast setup --server https://backup.example.org --device-id ID --device-key-file key.txt
  holdfast setup --server https://backup.example.org --email anna@example.org --password-file pw.txt --code 123456
  holdfast setup --server https://backup.example.org --provider company
  holdfast setup --destination /media/disk/backups --recovery-phrase-file phrase.txt    (adopts what is there)`;

export function setupCommand(run: Run): Command {
  const setup = new Command('setup')
    .summary('choose where backups go')
    .description(
      'Chooses where backups go and makes the master key, shown once as a recovery phrase. With --recovery-phrase-file ' +
        'it takes over existing backups. The destination is tested first; if that fails, nothing is saved.',
    );
  return withDestination(setup)
    .option('--recovery-phrase-file <file>', 'take over the key of existing backups')
    .option('--passphrase-file <file>', 'let this passphrase open the key too, kept sealed with the backups')
    .option('--key-code <code>', 'take over the key by a code that holdfast key code shows on another computer')
    .option('--print-json', 'recovery_phrase and device_id as JSON on stdout')
    .addHelpText('after', EXAMPLES)
    .action((_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      const json = options.json === true || options.printJson === true;
      return run({ ...options, json }, async (context) => {
        const request = await requestOf(options, context);
        const agent = await context.agent();
        return setupOutcome(await agent.setup(request, context), options.parity);
      });
    });
}

async function requestOf(options: Options, context: CommandContext): Promise<SetupRequest> {
  const { deviceId, deviceName } = options;
  return {
    destination: await chosenDestination(options, context),
    ...(deviceId === undefined ? {} : { deviceId }),
    ...(deviceName === undefined ? {} : { deviceName }),
    ...(await secretIn('recoveryPhrase', options.recoveryPhraseFile)),
    ...(await secretIn('passphrase', options.passphraseFile)),
    ...(options.keyCode === undefined ? {} : { keyCode: options.keyCode }),
  };
}

async function setupOutcome(report: SetupReport, parity: number | undefined): Promise<Outcome> {
  const value = {
    recovery_phrase: report.recoveryPhrase,
    device_id: report.deviceId,
    device_name: report.deviceName,
    adopted: report.adopted,
    ...(report.isOutdated && { outdated: true }),
    cautions: report.cautions,
    ...(report.parity !== undefined && { parity: report.parity }),
    backup_sets: (report.storedSets ?? []).map(({ deviceId, backupSet }) => ({ device_id: deviceId, name: backupSet })),
  };
  const outdated = report.isOutdated ? [OUTDATED] : [];
  const empty = report.adopted && report.storedSets?.length === 0 && !report.doubt ? [NO_BACKUPS] : [];
  const warnings = [
    ...outdated,
    ...empty,
    ...cautionTexts(report.cautions),
    ...(await diskWarnings(report.destination)),
    ...parityTexts(parity, report.parity),
  ];
  return outcome(value, setupLines(report), { warnings });
}

function setupLines(report: SetupReport): string[] {
  const names = new Map(report.devices.map(({ id, name }) => [id, name]));
  const nameOf = (id: string): string => printable(names.get(id) ?? id);
  const own = (report.storedSets ?? []).filter(({ deviceId }) => deviceId === report.deviceId);
  const others = (report.storedSets ?? []).filter(({ deviceId }) => deviceId !== report.deviceId);
  return [
    `Backups go to ${locationOf(report.destination)}, as device ${report.deviceId} (${report.deviceName}).`,
    ...(report.adopted ? [] : ['', ...NEW_PHRASE, '', ...phraseLines(report.recoveryPhrase)]),
    ...(own.length > 0 ? [`This device's backup sets there: ${own.map(({ backupSet }) => backupSet).join(', ')}`] : []),
    ...(others.length > 0 ? ["Other devices' backup sets there (read them with --device NAME):"] : []),
    ...others.map(({ deviceId, backupSet }) => `  ${printable(backupSet)}, of ${nameOf(deviceId)}`),
    '',
    'Next: holdfast set add NAME PATH...',
  ];
}

/** The phrase is that of an earlier key. */
const OUTDATED =
  'The key of these backups was changed after this recovery phrase was printed: only what was backed up before can be ' +
  'restored. With the new phrase: holdfast key adopt --recovery-phrase-file FILE';

/** Whoever has a phrase expects backups. */
const NO_BACKUPS =
  'no backups were found there. The address may be wrong, or the disk not mounted. ' +
  'To open backups in another place: holdfast destination add --destination DIR';

const NEW_PHRASE = [
  'This is the recovery phrase. Write it down and keep it apart from this computer: without it',
  'nobody can open the backups when this computer is lost, and whoever has it can.',
] as const;
