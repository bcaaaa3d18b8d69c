import { z } from 'zod';
import { renameDeviceRequest } from '../../protocol/accounts.ts';
import { ENDPOINTS } from '../../protocol/endpoints.ts';
import {
  CAPABILITIES,
  claimAccountKeyRequest,
  registerDeviceRequest,
  type Capability,
} from '../../protocol/extensions.ts';
import { completionOf } from '../../base/point-time.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import { requireFreshFactor } from '../auth/factors/fresh-factor.ts';
import { requirePermission } from '../auth/permissions.ts';
import { deviceToRead, requireDeviceOwner } from '../devices/device-access.ts';
import type { ServiceContext } from '../context.ts';
import type { Caller } from '../caller.ts';
import { claimAccountKey, mayClaim } from '../devices/account-key.ts';
import { listDevices, registerDevice, renameDevice, revokeDevice } from '../devices/devices.ts';
import { ServiceProblem } from '../request/problem.ts';
import { emptyAnswer, jsonResponse } from '../request/answer.ts';
import { ACCEPTED_ENCODINGS, checked, readJson } from './body.ts';
import { withCaller } from './routes.ts';
import type { CallerHandler, Handler, Route, RouteContext } from './routes.ts';

export function deviceRoutes(context: RouteContext): readonly Route[] {
  const { service } = context;
  const list = withCaller(context, async (_, caller) => {
    requirePermission(caller, 'status');
    return jsonResponse({ devices: await listDevices(service, caller.accountId) });
  });
  const register = withCaller(context, async ({ request }, caller) => {
    const { accountId, userId } = requireUser(caller, 'register a device');
    requirePermission(caller, 'backup');
    const device = await readJson(request, registerDeviceRequest);
    return jsonResponse(await registerDevice(service, accountId, device, userId));
  });
  const revoke = withCaller(context, async ({ parameters }, caller) => {
    const person = requireUser(caller, 'revoke a device');
    const { accountId, userId } = person;
    const id = parameters['device_id'] ?? '';
    await requireDeviceOwner(service, caller, id);
    await requireFreshFactor(service, person);
    await revokeDevice(service, accountId, id, userId);
    return emptyAnswer();
  });
  const rename = withCaller(context, async ({ request, parameters }, caller) => {
    const person = requireUser(caller, 'rename a device');
    const id = parameters['device_id'] ?? '';
    const { name } = await readJson(request, renameDeviceRequest);
    await requireDeviceOwner(service, caller, id);
    await renameDevice(service, person, id, name);
    return emptyAnswer();
  });
  const key = withCaller(context, async (_, caller) => {
    requirePermission(caller, 'status');
    const keyId = await service.metadata.accountKeys.find(caller.accountId);
    return jsonResponse({ key_id: keyId ?? null, may_claim: await mayClaim(service, caller) });
  });
  const claimKey = withCaller(context, async ({ request }, caller) => {
    requirePermission(caller, 'backup');
    const claim = await readJson(request, claimAccountKeyRequest);
    return jsonResponse({ key_id: await claimAccountKey(service, caller, claim) });
  });
  const capabilities: Handler = async () =>
    jsonResponse({ capabilities: capabilitiesOf(service) }, { 'accept-encoding': ACCEPTED_ENCODINGS });
  return [
    { path: ENDPOINTS.devices, methods: { GET: list } },
    { path: `${ENDPOINTS.devices}/:device_id`, methods: { PATCH: rename, DELETE: revoke } },
    { path: ENDPOINTS.registerDevice, methods: { POST: register } },
    { path: ENDPOINTS.accountKey, methods: { GET: key, POST: claimKey } },
    { path: ENDPOINTS.capabilities, methods: { GET: capabilities } },
    { path: ENDPOINTS.restorePoints, methods: { GET: withCaller(context, createRestorePoints(context)) } },
    { path: ENDPOINTS.backupSets, methods: { GET: withCaller(context, createBackupSets(context)) } },
  ];
}

/** Packs pass through the service; there are none if clients access the storage directly. */
function capabilitiesOf({ objects }: ServiceContext): readonly Capability[] {
  return objects.direct
    ? CAPABILITIES.filter((name) => name !== 'backup.pack' && name !== 'restore.pack')
    : CAPABILITIES;
}

export const setQuery = z.object({ device_id: z.string().min(1), backup_set: z.string().min(1) });
export const deviceQuery = z.object({ device_id: z.string().min(1) });

function createRestorePoints({ service }: RouteContext): CallerHandler {
  return async ({ url }, caller) => {
    requirePermission(caller, 'status');
    const { device_id: deviceId, backup_set: name } = checked(Object.fromEntries(url.searchParams), setQuery);
    const { id } = await deviceToRead(service, caller, deviceId);
    const set = await service.metadata.sessions.findSet(id, name);
    if (!set) throw new ServiceProblem('not_found', { detail: 'the device has no such backup set' });
    const points = await service.metadata.sessions.restorePoints(set.number);
    return jsonResponse({
      restore_points: points.map(({ restorePoint, completedAt, backupId, files, bytes }) =>
        Object.assign(
          { restore_point: formatTimestamp(restorePoint), backup_id: backupId, files, bytes },
          completionOf(restorePoint, completedAt),
        ),
      ),
    });
  };
}

function createBackupSets({ service }: RouteContext): CallerHandler {
  return async ({ url }, caller) => {
    requirePermission(caller, 'status');
    const { device_id: deviceId } = checked(Object.fromEntries(url.searchParams), deviceQuery);
    const { id } = await deviceToRead(service, caller, deviceId);
    const sets = await service.metadata.sessions.sets(id);
    return jsonResponse({
      backup_sets: sets.map(({ name, lastRestorePoint }) => ({
        name,
        last_restore_point: lastRestorePoint === undefined ? null : formatTimestamp(lastRestorePoint),
      })),
    });
  };
}

/** A user's token always proves a second factor. */
function requireUser(caller: Caller, action: string): Extract<Caller, { kind: 'user' }> {
  if (caller.kind === 'user') return caller;
  throw new ServiceProblem('permission_denied', { detail: `only a user can ${action}` });
}
