import { DEVICE_PERMISSIONS, type DevicePermission } from '../../protocol/auth.ts';
import type { ServiceContext } from '../context.ts';
import type { Caller } from '../caller.ts';
import { ServiceProblem } from '../request/problem.ts';

/** Returns what a person with a role may do with backups of the account. Auditors look at everything but contents, and change nothing. */
export function permissionsOf(role: string): readonly DevicePermission[] {
  return role === 'auditor' ? ['status'] : DEVICE_PERMISSIONS;
}

/**
 * Returns what a device may do: what it was registered for, but no downloads while the person who registered it is an auditor. Its
 * backups go on.
 */
export async function permissionsOfDevice(
  { metadata }: Pick<ServiceContext, 'metadata'>,
  { id, permissions }: { readonly id: string; readonly permissions: readonly DevicePermission[] },
): Promise<readonly DevicePermission[]> {
  if (!permissions.includes('restore')) return permissions;
  const by = await metadata.deviceActivity.registeredBy(id);
  const role = by === undefined ? undefined : (await metadata.accounts.user(by))?.role;
  return role === 'auditor' ? permissions.filter((one) => one !== 'restore') : permissions;
}

/** A user has the permissions of the role, in the whole account; a device those of its registration. */
export function requirePermission({ kind, permissions }: Caller, permission: DevicePermission): void {
  if (permissions.some((one) => one === permission)) return;
  const who = kind === 'user' ? 'an auditor' : 'this device';
  throw new ServiceProblem('permission_denied', { detail: `${who} has no "${permission}" permission` });
}
