import type { Command } from 'commander';
import type { Run } from '../runner.ts';
import { backupCommand } from './runs/backup.ts';
import { destinationCommand } from './destinations/destination.ts';
import { devicesCommand } from './devices.ts';
import { hostKeyCommand } from './setup/host-key.ts';
import { keyCommand } from './setup/key.ts';
import { listCommand } from './list.ts';
import { pointsCommand } from './points.ts';
import { restoreCommand } from './runs/restore.ts';
import { retentionCommand } from './sets/retention.ts';
import { serviceCommand } from './service/service.ts';
import { setCommand } from './sets/set.ts';
import { setupCommand } from './setup/setup.ts';
import { statusCommand } from './status.ts';
import { unavailableCommand } from './unavailable.ts';
import { checkCommand } from './runs/check.ts';
import { repairCommand } from './runs/repair.ts';
import { verifyCommand } from './runs/verify.ts';

/** In the order in which the help shows them. */
export const COMMANDS: readonly ((run: Run) => Command)[] = [
  setupCommand,
  destinationCommand,
  setCommand,
  backupCommand,
  pointsCommand,
  listCommand,
  restoreCommand,
  verifyCommand,
  checkCommand,
  repairCommand,
  retentionCommand,
  statusCommand,
  keyCommand,
  hostKeyCommand,
  devicesCommand,
  serviceCommand,
];

export const UNAVAILABLE_COMMANDS: readonly ((run: Run) => Command)[] = [
  unavailableCommand('find'),
  unavailableCommand('versions'),
];
