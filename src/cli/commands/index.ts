import type { Command } from 'commander';
import type { Run } from '../runner.ts';
import { backupCommand } from './runs/backup.ts';
import { destinationCommand } from './destinations/destination.ts';
import { freeCommand } from './destinations/free.ts';
import { devicesCommand } from './devices.ts';
import { diffCommand } from './history/diff.ts';
import { findCommand } from './history/find.ts';
import { versionsCommand } from './history/versions.ts';
import { hostKeyCommand } from './setup/host-key.ts';
import { keyCommand } from './setup/key.ts';
import { listCommand } from './list.ts';
import { mountCommand } from './mount.ts';
import { pointsCommand } from './points.ts';
import { restoreCommand } from './runs/restore.ts';
import { retentionCommand } from './sets/retention.ts';
import { serviceCommand } from './service/service.ts';
import { setCommand } from './sets/set.ts';
import { setupCommand } from './setup/setup.ts';
import { reportCommand } from './report/report.ts';
import { statusCommand } from './status.ts';
import { checkCommand } from './runs/check.ts';
import { drillCommand } from './runs/drill.ts';
import { exportCommand } from './runs/export.ts';
import { repairCommand } from './runs/repair.ts';
import { timerCommand } from './timer/timer.ts';
import { undoCommand } from './runs/undo.ts';
import { verifyCommand } from './runs/verify.ts';

/** In the order in which the help shows them. */
export const COMMANDS: readonly ((run: Run) => Command)[] = [
  setupCommand,
  destinationCommand,
  setCommand,
  backupCommand,
  pointsCommand,
  listCommand,
  findCommand,
  versionsCommand,
  diffCommand,
  restoreCommand,
  undoCommand,
  exportCommand,
  mountCommand,
  verifyCommand,
  drillCommand,
  checkCommand,
  repairCommand,
  retentionCommand,
  freeCommand,
  timerCommand,
  statusCommand,
  reportCommand,
  keyCommand,
  hostKeyCommand,
  devicesCommand,
  serviceCommand,
];
