import { ENDPOINTS } from '../../protocol/endpoints.ts';
import { registerDeviceResponse } from '../../protocol/extensions.ts';
import type { RegisterDeviceRequest } from '../../protocol/extensions.ts';
import { jsonResponse } from '../client/responses.ts';
import type { AuthorisedCalls } from '../client/authorised-calls.ts';
import type { DeviceCredentials } from './device-token-source.ts';

/** Registers this computer with the account that `calls` is signed in to (extension `devices.register`). */
export async function registerDevice(
  calls: AuthorisedCalls,
  device: RegisterDeviceRequest,
  signal?: AbortSignal,
): Promise<DeviceCredentials> {
  const registered = await calls.call({
    method: 'POST',
    path: ENDPOINTS.registerDevice,
    json: () => device,
    signal,
    read: jsonResponse(registerDeviceResponse),
  });
  return { deviceId: registered.device.id, deviceKey: registered.device_key };
}
