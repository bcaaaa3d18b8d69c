import type { DevicePermission } from '../protocol/auth.ts';

/** A signed-in person. */
export interface Person {
  readonly kind: 'user';
  readonly accountId: string;
  readonly userId: string;
  readonly familyId: string;
}

/** The person of a request, with what the role permits. */
export interface UserCaller extends Person {
  readonly permissions: readonly DevicePermission[];
}

export interface DeviceCaller {
  readonly kind: 'device';
  readonly accountId: string;
  readonly deviceId: string;
  readonly permissions: readonly string[];
}

/** Identity behind a request, as its token states and the store confirms. */
export type Caller = UserCaller | DeviceCaller;
