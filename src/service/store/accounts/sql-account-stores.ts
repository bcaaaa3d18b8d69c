import type { AccountStores } from './account-stores.ts';
import { createAuditStore } from '../audit/audit.ts';
import { createDeviceActivityStore } from '../devices/device-activity.ts';
import { createMemberStore } from './members.ts';
import { createSecondFactorStore } from './second-factors.ts';
import { createSignInStore } from './sign-ins.ts';
import type { SqlDatabase } from '../database/sql-database.ts';

export function createAccountStores(database: SqlDatabase): AccountStores {
  return {
    audit: createAuditStore(database),
    secondFactors: createSecondFactorStore(database),
    members: createMemberStore(database),
    signIns: createSignInStore(database),
    deviceActivity: createDeviceActivityStore(database),
  };
}
