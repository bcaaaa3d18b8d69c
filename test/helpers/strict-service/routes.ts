import * as backup from './backup-calls.ts';
import type { Answer, Call } from './call.ts';
import type { EndpointName } from './faults.ts';
import * as restore from './restore-calls.ts';
import * as signIn from './sign-in-calls.ts';
import * as storage from './storage-calls.ts';
import type { ServiceState } from './service-state.ts';

export interface Route {
  readonly endpoint: EndpointName;
  readonly method: string;
  /** Matches the path with its query, without the secrets of presigned addresses. */
  readonly pattern: RegExp;
  readonly needsToken: boolean;
  handle(state: ServiceState, call: Call): Answer;
}

const capabilities = ({ announced }: ServiceState): Answer =>
  announced.length > 0
    ? { status: 200, body: { capabilities: announced } }
    : { status: 404, body: { message: 'no such function' } };

function post(endpoint: EndpointName, handle: Route['handle']): Route {
  return { endpoint, method: 'POST', pattern: new RegExp(`^/functions/v1/${endpoint}$`), needsToken: true, handle };
}

export const CONTROL_PLANE: readonly Route[] = [
  post('backup/init', backup.init),
  post('backup/presign', backup.presign),
  post('backup/progress', backup.progress),
  post('backup/complete', backup.complete),
  post('restore/manifest', restore.manifest),
  post('restore/presign', restore.presign),
  { ...post('auth/device', signIn.deviceAuth), needsToken: false },
  {
    endpoint: 'auth/password',
    method: 'POST',
    pattern: /^\/auth\/v1\/token\?grant_type=password$/,
    needsToken: false,
    handle: signIn.password,
  },
  {
    endpoint: 'auth/refresh',
    method: 'POST',
    pattern: /^\/auth\/v1\/token\?grant_type=refresh_token$/,
    needsToken: false,
    handle: signIn.refresh,
  },
  {
    endpoint: 'auth/verify',
    method: 'POST',
    pattern: /^\/auth\/v1\/factors\/([^/?]+)\/verify$/,
    needsToken: false,
    handle: signIn.verify,
  },
  { endpoint: 'devices', method: 'GET', pattern: /^\/rest\/v1\/devices$/, needsToken: true, handle: signIn.devices },
  // The only allowed request that is not in the interface.
  {
    endpoint: 'capabilities',
    method: 'GET',
    pattern: /^\/functions\/v1\/capabilities$/,
    needsToken: false,
    handle: capabilities,
  },
];

export const STORAGE: readonly Route[] = [
  {
    endpoint: 'storage/put',
    method: 'PUT',
    pattern: /^\/put\/([^/?]+)\?X-Signature=secret$/,
    needsToken: false,
    handle: storage.put,
  },
  {
    endpoint: 'storage/get',
    method: 'GET',
    pattern: /^\/get\/([^/?]+)\?X-Signature=secret$/,
    needsToken: false,
    handle: storage.get,
  },
];
