import { Command } from 'commander';
import type { Run } from '../../runner.ts';
import { accountCommand } from './account.ts';
import { alarmsCommand } from './alarms.ts';
import { checkCommand } from './check.ts';
import { copyCommand } from './copy.ts';
import { erasureCommand } from './erasure.ts';
import { planCommand } from './plan.ts';
import { startCommand } from './start.ts';
import { takeOverCommand } from './take-over.ts';
import { exportCommand, importCommand } from './transfer.ts';
import { webhookCommand } from './webhook.ts';

/** In the order in which the help shows them. */
const SERVICE_COMMANDS: readonly ((run: Run) => Command)[] = [
  startCommand,
  checkCommand,
  accountCommand,
  webhookCommand,
  planCommand,
  erasureCommand,
  alarmsCommand,
  copyCommand,
  takeOverCommand,
  exportCommand,
  importCommand,
];

export function serviceCommand(run: Run): Command {
  const service = new Command('service')
    .summary('run the service itself, for self-hosting')
    .description('Runs the service itself, for self-hosting.');
  for (const command of SERVICE_COMMANDS) service.addCommand(command(run));
  return service;
}
