import { z } from 'zod';
import { ENDPOINTS } from '../../protocol/endpoints.ts';
import { CAPABILITIES, registerDeviceRequest } from '../../protocol/extensions.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import { deviceToRead, requirePermission } from '../auth/permissions.ts';
import type { Caller } from '../context.ts';
import { listDevices, registerDevice, revokeDevice } from '../devices/devices.ts';
import { ServiceProblem } from '../problem.ts';
import { emptyAnswer, jsonAnswer } from './answer.ts';
import { ACCEPTED_ENCODINGS, checked, readJson } from './body.ts';
import { withCaller } from './routes.ts';
import type { CallerHandler, Handler, Route, RouteContext } from './routes.ts';

export function deviceRoutes(context: RouteContext): readonly Route[] {
  const { service } = context;
  const list = withCaller(context, async (_, caller) => {
    requirePermission(caller, 'status');
    return jsonAnswer({ devices: await listDevices(service, caller.accountId) });
  });
  const register = withCaller(context, async ({ request }, caller) => {
    requireUser(caller, 'register a device');
    return jsonAnswer(await registerDevice(service, caller.accountId, await readJson(request, registerDeviceRequest)));
  });
  const revoke = withCaller(context, async ({ parameters }, caller) => {
    requireUser(caller, 'revoke a device');
    await revokeDevice(service, caller.accountId, parameters['device_id'] ?? '');
    return emptyAnswer();
  });
  const capabilities: Handler = async () =>
    jsonAnswer({ capabilities: CAPABILITIES }, { 'accept-encoding': ACCEPTED_ENCODINGS });
  return [
    { path: ENDPOINTS.devices, methods: { GET: list } },
    { path: `${ENDPOINTS.devices}/:device_id`, methods: { DELETE: revoke } },
    { path: ENDPOINTS.registerDevice, methods: { POST: register } },
    { path: ENDPOINTS.capabilities, methods: { GET: capabilities } },
    { path: ENDPOINTS.restorePoints, methods: { GET: withCaller(context, createRestorePoints(context)) } },
    { path: ENDPOINTS.backupSets, methods: { GET: withCaller(context, createBackupSets(context)) } },
  ];
}

const setQuery = z.object({ device_id: z.string().min(1), backup_set: z.string().min(1) });
const deviceQuery = z.object({ device_id: z.string().min(1) });

function createRestorePoints({ service }: RouteContext): CallerHandler {
  return async ({ url }, caller) => {
    requirePermission(caller, 'status');
    const { device_id: deviceId, backup_set: name } = checked(Object.fromEntries(url.searchParams), setQuery);
    const { id } = await deviceToRead(service, caller, deviceId);
    const set = await service.metadata.sessions.findSet(id, name);
    if (!set) throw new ServiceProblem('not_found', { detail: 'the device has no such backup set' });
    const points = await service.metadata.sessions.restorePoints(set.number);
    return jsonAnswer({
      restore_points: points.map(({ restorePoint, backupId, files, bytes }) => ({
        restore_point: formatTimestamp(restorePoint),
        backup_id: backupId,
        files,
        bytes,
      })),
    });
  };
}

function createBackupSets({ service }: RouteContext): CallerHandler {
  return async ({ url }, caller) => {
    requirePermission(caller, 'status');
    const { device_id: deviceId } = checked(Object.fromEntries(url.searchParams), deviceQuery);
    const { id } = await deviceToRead(service, caller, deviceId);
    const sets = await service.metadata.sessions.sets(id);
    return jsonAnswer({
      backup_sets: sets.map(({ name, lastRestorePoint }) => ({
        name,
        last_restore_point: lastRestorePoint === undefined ? null : formatTimestamp(lastRestorePoint),
      })),
    });
  };
}

/** A user's token always stands for a second factor: it is given out for nothing less. */
function requireUser(caller: Caller, action: string): void {
  if (caller.kind === 'user') return;
  throw new ServiceProblem('permission_denied', { detail: `only a user can ${action}` });
}
