import { Command } from 'commander';
import type { Run } from '../runner.ts';
import { accountCommand } from './service/account.ts';
import { alarmsCommand } from './service/alarms.ts';
import { checkCommand } from './service/check.ts';
import { copyCommand } from './service/copy.ts';
import { planCommand } from './service/plan.ts';
import { startCommand } from './service/start.ts';
import { exportCommand, importCommand } from './service/transfer.ts';
import { webhookCommand } from './service/webhook.ts';

/** In the order in which the help shows them. */
const SERVICE_COMMANDS: readonly ((run: Run) => Command)[] = [
  startCommand,
  checkCommand,
  accountCommand,
  webhookCommand,
  planCommand,
  alarmsCommand,
  copyCommand,
  exportCommand,
  importCommand,
];

export function serviceCommand(run: Run): Command {
  const service = new Command('service').description('Runs the service itself, for self-hosting.');
  for (const command of SERVICE_COMMANDS) service.addCommand(command(run));
  return service;
}
