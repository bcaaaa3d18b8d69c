import { Command } from 'commander';
import { locationOf } from '../../../agent/home/destination-location.ts';
import { outcome } from '../../outcome.ts';
import type { GlobalOptions, Run } from '../../runner.ts';
import { printable } from '../../text.ts';

interface Options extends GlobalOptions {
  readonly deviceName?: string;
}

const HELP_END = `
Two copies of a home must not write to a destination with one identity: each would take the backups of the other for its own. So a
backup fails there once a copy has written. That happens after the disk of a computer was copied, or after the home was restored
from a copy that is older than its last backup.

On the computer that keeps its name:      holdfast destination renew
On the copy, which becomes another one:   holdfast destination renew --device-name NAME

Sets, settings and restore points stay.`;

/** `destination renew`: the way out of `device_cloned`. */
export function destinationRenewCommand(run: Run): Command {
  return new Command('renew')
    .summary('give this home a new identity at a destination')
    .description(
      'Gives this home a new identity at a destination, if another computer writes there with the old one. Its backups there are continued.',
    )
    .argument('[name]', 'the destination; not needed if there is only one that is no service')
    .option('--device-name <name>', 'become a new computer of this name, whose backups begin there anew')
    .addHelpText('after', HELP_END)
    .action((name: string | undefined, _options: unknown, self: Command) => {
      const options = self.optsWithGlobals<Options>();
      return run(options, async (context) => {
        const agent = await context.agent(name);
        const settings = await agent.renewWriter(options, context);
        const { id, deviceId, deviceName, destination } = settings;
        const value = { id, name: settings.name, device_id: deviceId, device_name: deviceName };
        const place = `${printable(settings.name)} (${locationOf(destination)})`;
        const line =
          options.deviceName === undefined
            ? `This home has a new identity at ${place} and continues its backups there, as device ${deviceId}.`
            : `This home is device ${deviceId} (${printable(deviceName)}) at ${place} now. Its backups there begin anew.`;
        return outcome(value, [line, '', 'Next: holdfast backup NAME']);
      });
    });
}
