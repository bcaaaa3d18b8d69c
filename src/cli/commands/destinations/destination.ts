import { Command } from 'commander';
import { locationOf } from '../../../agent/home/destination-location.ts';
import type { FormerDestination } from '../../../agent/home/destination-entry.ts';
import type { AddedDestination, DestinationList, ListedDestination } from '../../../agent/operations/destinations.ts';
import { alignColumns } from '../../columns.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import type { GlobalOptions, Run } from '../../runner.ts';
import { printable, timeText, shellWord } from '../../text.ts';
import { destinationCopyCommand } from './destination-copy.ts';
import { destinationRenewCommand } from './destination-renew.ts';
import { destinationSignInCommand } from './destination-sign-in.ts';
import { destinationStatusJson } from '../status.ts';
import { diskWarnings } from '../setup/disk-warnings.ts';
import {
  cautionTexts,
  chosenDestination,
  parityTexts,
  withDestination,
  type DestinationOptions,
} from '../setup/destination-options.ts';

interface AddOptions extends DestinationOptions {
  readonly name?: string;
  readonly schedule?: string;
}

interface ChangeOptions extends GlobalOptions {
  readonly name?: string;
  readonly schedule?: string;
  readonly setSchedules?: true;
}

const SCHEDULE_HELP =
  'when the app backs up to it, instead of the schedules of the sets, such as "daily 18:30"; "manual" for only the backups that you start';

const EXAMPLES = `
A backup goes to all destinations, and one that is absent delays no other. All have the same recovery phrase.

Examples:
  holdfast destination add --destination /media/disk/backups --name "Backup disk"
  holdfast destination add --destination s3://my-bucket/laptop --name Cloud --schedule 'daily 18:30'
  holdfast destination list
  holdfast backup documents --destination Cloud`;

export function destinationCommand(run: Run): Command {
  return new Command('destination')
    .summary('add, list, change, remove and copy destinations, and sign in again')
    .description('The destinations of this home: where backups go.')
    .addCommand(addCommand(run))
    .addCommand(listCommand(run))
    .addCommand(changeCommand(run))
    .addCommand(removeCommand(run))
    .addCommand(destinationCopyCommand(run))
    .addCommand(destinationSignInCommand(run))
    .addCommand(destinationRenewCommand(run))
    .addHelpText('after', EXAMPLES);
}

function addCommand(run: Run): Command {
  const command = new Command('add').description(
    'Adds a destination, with the key of this home. It is tested first; if that fails, nothing is saved. Backups that this ' +
      'home made there before are continued.',
  );
  return withDestination(command)
    .option('--name <name>', 'its name in commands and messages; one that follows from the location by default')
    .option('--schedule <spec>', SCHEDULE_HELP)
    .action((_options: unknown, self: Command) => {
      const options = self.optsWithGlobals<AddOptions>();
      return run(options, async (context) => {
        const { name, schedule, deviceId, deviceName } = options;
        const destination = await chosenDestination(options, context);
        const agent = await context.agent();
        const request = { destination, name, schedule, deviceId, deviceName };
        return addedOutcome(await agent.addDestination(request, context), options);
      });
    });
}

async function addedOutcome(
  { entry, isContinued, cautions, parity }: AddedDestination,
  { parity: chosen, objectLock }: AddOptions,
): Promise<Outcome> {
  const { id, name, destination, deviceId, deviceName, schedule } = entry;
  const value = {
    id,
    name,
    location: locationOf(destination),
    device_id: deviceId,
    device_name: deviceName,
    schedule: schedule ?? null,
    continued: isContinued,
    cautions,
    ...(parity !== undefined && { parity }),
  };
  const shown = printable(name);
  const lines = [
    `Backups go to ${shown} (${locationOf(destination)}) as well, as device ${deviceId} (${printable(deviceName)}).`,
    ...(isContinued ? ['The backups that this home made there before are continued.'] : []),
    '',
    firstBackup(schedule),
    `  holdfast backup NAME --destination ${shellWord(name)}`,
  ];
  const unlocked = isContinued && objectLock !== undefined ? [UNLOCKED] : [];
  return outcome(value, lines, {
    warnings: [
      ...cautionTexts(cautions),
      ...(await diskWarnings(destination)),
      ...parityTexts(chosen, parity),
      ...unlocked,
    ],
  });
}

/** A destination that is continued is not set up anew. */
const UNLOCKED = 'the object lock of these backups was not changed. To change it: holdfast retention lock';

function firstBackup(schedule: string | undefined): string {
  if (schedule === undefined) return 'The first one goes there with the next backup of each set, or now:';
  if (schedule === 'manual') return 'Backups go there only when you start them:';
  return `The first one goes there at its own time (${schedule}), or now:`;
}

function listCommand(run: Run): Command {
  return new Command('list')
    .description('Lists the destinations with their last backups, and those that were removed.')
    .option('--names', 'only the names, one a line')
    .action((_options: unknown, self: Command) => {
      const options = self.optsWithGlobals<GlobalOptions & { readonly names?: true }>();
      return run(options, async (context) => {
        const agent = await context.agent();
        // Shells ask for the names while somebody types, so no destination is asked.
        if (options.names && !options.json) {
          return outcome(
            {},
            (await agent.status()).destinations.map(({ entry }) => printable(entry.name)),
          );
        }
        const list = await agent.destinations();
        return outcome(listJson(list), listLines(list));
      });
    });
}

function listJson({ destinations, former }: DestinationList): object {
  return {
    destinations: destinations.map((listed) => ({ ...destinationStatusJson(listed), at_hand: listed.isAtHand })),
    former: former.map(({ id, name, destination, deviceId, leftAt }) => ({
      id,
      name,
      kind: destination.kind,
      location: locationOf(destination),
      device_id: deviceId,
      left_at: new Date(leftAt).toISOString(),
    })),
  };
}

function listLines({ destinations, former }: DestinationList): string[] {
  const rows = destinations.flatMap((listed) => {
    const { name, destination, schedule } = listed.entry;
    const state = listed.isAtHand ? '' : 'not connected';
    return [[printable(name), locationOf(destination), schedule ?? "the sets' own", lastText(listed), state]];
  });
  return [
    ...alignColumns([['NAME', 'LOCATION', 'SCHEDULE', 'ALL SETS AS OF', ''], ...rows]),
    ...(former.length === 0 ? [] : ['', 'Removed; backups are still there:', ...formerLines(former)]),
  ];
}

/** The newest restore point of the set that has the oldest one. */
function lastText({ sets }: ListedDestination): string {
  const missing = sets.filter(({ lastRestorePoint }) => lastRestorePoint === undefined);
  if (missing.length > 0) {
    return missing.length === sets.length
      ? 'none yet'
      : `none of ${missing.map(({ set }) => printable(set.name)).join(', ')}`;
  }
  const times = sets.map(({ lastRestorePoint }) => Date.parse(lastRestorePoint!.restore_point));
  return times.length === 0 ? 'none yet' : timeText(Math.min(...times));
}

function formerLines(former: readonly FormerDestination[]): string[] {
  const rows = former.map(({ name, destination, leftAt }) => [
    printable(name),
    locationOf(destination),
    `until ${timeText(leftAt)}`,
  ]);
  return alignColumns(rows).map((row) => `  ${row}`);
}

function changeCommand(run: Run): Command {
  return new Command('change')
    .description('Changes the name or the schedule of a destination.')
    .argument('<name>')
    .option('--name <name>', 'its new name')
    .option('--schedule <spec>', SCHEDULE_HELP)
    .option('--set-schedules', 'back up to it by the schedules of the sets again')
    .action((name: string, _options: unknown, self: Command) => {
      const options = self.optsWithGlobals<ChangeOptions>();
      return run(options, async (context) => {
        const { name: newName, schedule, setSchedules } = options;
        if ((newName ?? schedule ?? setSchedules) === undefined || (schedule !== undefined && setSchedules)) {
          const { wrongUsage } = await import('../../../base/errors/errors.ts');
          const message = 'Specify what to change: --name NAME, and --schedule SPEC or --set-schedules.';
          throw wrongUsage({ problem: 'options', message });
        }
        const change = { name: newName, schedule: setSchedules ? null : schedule };
        const changed = await (await context.agent()).changeDestination({ destination: name, ...change });
        const times = changed.schedule ?? 'the schedules of the sets';
        const value = { id: changed.id, name: changed.name, schedule: changed.schedule ?? null };
        return outcome(value, [`Changed ${printable(changed.name)}. Schedule: ${times}.`]);
      });
    });
}

function removeCommand(run: Run): Command {
  return new Command('remove')
    .description('Removes a destination from this home. Its backups stay there, and can be continued later.')
    .argument('<name>')
    .action((name: string, _options: unknown, self: Command) =>
      run(self.optsWithGlobals<GlobalOptions>(), async (context) => {
        const removed = await (await context.agent()).removeDestination({ destination: name });
        const location = locationOf(removed.destination);
        return outcome({ removed: removed.name, location }, [
          `Removed ${printable(removed.name)}. Its backups stay at ${location}.`,
          'To continue them, or to restore from them, add it again: holdfast destination add',
        ]);
      }),
    );
}
