import type { Migration } from './migration.ts';
import { accountsAndTrees } from './0001-accounts-and-trees.ts';
import { waitingSessions } from './0002-waiting-sessions.ts';
import { people } from './0020-people.ts';
import { retention } from './0030-retention.ts';
import { webhookLog } from './0040-webhook-log.ts';
import { plans } from './0041-plans.ts';
import { alarms } from './0042-alarms.ts';
import { usage } from './0050-usage.ts';

/** Every step of the schema; each new one is a file of its own and a line here. */
export const MIGRATIONS: readonly Migration[] = [
  accountsAndTrees,
  waitingSessions,
  people,
  retention,
  webhookLog,
  plans,
  alarms,
  usage,
];
