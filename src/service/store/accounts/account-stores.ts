import type { AuditStore } from '../audit/audit-store.ts';
import type { DeviceActivityStore } from '../devices/device-activity-store.ts';
import type { MemberStore } from './member-store.ts';
import type { SecondFactorStore } from './second-factor-store.ts';
import type { SignInStore } from './sign-in-store.ts';

/** What the service remembers of people and devices beside what every request needs. */
export interface AccountStores {
  readonly audit: AuditStore;
  readonly secondFactors: SecondFactorStore;
  readonly members: MemberStore;
  readonly signIns: SignInStore;
  readonly deviceActivity: DeviceActivityStore;
}
