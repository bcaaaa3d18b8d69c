import { Command } from 'commander';
import type { Device } from '../../protocol/devices.ts';
import { outcome } from '../outcome.ts';
import type { GlobalOptions, Run } from '../runner.ts';
import { alignColumns } from '../columns.ts';
import { printable, timeText } from '../text.ts';
import { destinationOption, FIRST } from './arguments.ts';

interface Options extends GlobalOptions {
  readonly destination?: string;
}

export function devicesCommand(run: Run): Command {
  return new Command('devices')
    .summary('list the devices of the account')
    .description('Lists the devices of the account. --device takes an id from the first column.')
    .addOption(destinationOption(FIRST))
    .action((_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      return run(options, async (context) => {
        const agent = await context.agent(options.destination);
        const devices = await agent.devices({}, context);
        const own = agent.settings()?.deviceId;
        const value = { devices: devices.map((device) => ({ ...device, this_device: device.id === own })) };
        return outcome(value, deviceLines(devices, own));
      });
    });
}

function deviceLines(devices: readonly Device[], own: string | undefined): string[] {
  if (devices.length === 0) return ['The service lists no devices.'];
  const rows = devices.map(({ id, name, os, last_backup: last, status }) => [
    id,
    printable(id === own ? `${name} (this device)` : name),
    printable(os),
    last ? timeText(last) : 'never',
    printable(status),
  ]);
  return alignColumns([['ID', 'NAME', 'SYSTEM', 'LAST BACKUP', 'STATUS'], ...rows]);
}
