import type { Migration } from './migration.ts';
import { accountsAndTrees } from './migrations/0001-accounts-and-trees.ts';
import { waitingSessions } from './migrations/0002-waiting-sessions.ts';
import { people } from './migrations/0020-people.ts';
import { retention } from './migrations/0030-retention.ts';
import { webhookLog } from './migrations/0040-webhook-log.ts';
import { plans } from './migrations/0041-plans.ts';
import { alarms } from './migrations/0042-alarms.ts';
import { usage } from './migrations/0050-usage.ts';

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
