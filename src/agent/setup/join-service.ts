import type { UserSession } from '../../protocol/auth.ts';
import type { Device } from '../../protocol/devices.ts';
import { isHoldfastError } from '../../base/errors.ts';
import {
  connectAsDevice,
  connectAsUser,
  type Connection,
  type SignedInConnection,
} from '../../engine/transfer/connection.ts';
import { registerDevice } from '../../engine/transfer/sign-in/register-device.ts';
import { INTERACTIVE_RETRY_POLICY } from '../../engine/transfer/http/retrier.ts';
import { signIn } from '../../engine/transfer/sign-in/sign-in.ts';
import type { StoredSession } from '../../engine/transfer/sign-in/user-token-source.ts';
import type { AgentParts } from '../agent.ts';
import { connectTo } from '../destination/service-access.ts';
import type { Destination } from '../home/settings.ts';
import type { Secrets } from '../key-store/key-store.ts';
import { UnsavedSession } from '../key-store/stored-session.ts';
import { wrongUsage } from '../../base/failure.ts';
import { findAccount } from './account-state.ts';
import { chooseMasterKey } from './master-key.ts';
import type { JoinRequest, Joined, SetupDestination } from '../operations/setup.ts';
import { providerSession } from './provider-session.ts';
import { requireDevice, thisDevice } from '../destination/this-device.ts';

type DeviceDestination = Extract<SetupDestination, { kind: 'device' }>;
type UserDestination = Extract<SetupDestination, { kind: 'user' | 'provider' | 'session' }>;
/** How this home will sign in from now on. */
type Credentials = Pick<Secrets, 'deviceKey' | 'session'>;

/** With a device's id and key. @throws HoldfastError `device_refused`, `phrase_*`, `service_*` */
export async function joinAsDevice(
  { url, deviceKey }: DeviceDestination,
  request: JoinRequest,
  parts: AgentParts,
  signal?: AbortSignal,
): Promise<Joined> {
  const { deviceId } = request;
  if (deviceId === undefined) throw wrongUsage('device-id-needed');
  return withConnection(url, parts, async (connection) => {
    const signedIn = connectAsDevice(connection, { deviceId, deviceKey });
    const devices = await listDevices(signedIn, signal);
    const name = devices.find(({ id }) => id === deviceId)?.name ?? request.deviceName;
    const device = { deviceId, deviceName: name, credentials: { deviceKey }, signIn: { kind: 'device' as const } };
    return joinAccount(connection, signedIn, devices, request, () => Promise.resolve(device), signal);
  });
}

/**
 * With e-mail, password and code, or through an identity provider. Where the service can register devices this computer
 * becomes one and the person's session is not kept; otherwise, or to go on as an existing device, it is.
 *
 * @throws HoldfastError `password_wrong`, `code_needed`, `code_wrong`, `provider_refused`, `phrase_*`, `usage`, `service_*`
 */
export async function joinAsUser(
  destination: UserDestination,
  request: JoinRequest,
  parts: AgentParts,
  signal?: AbortSignal,
): Promise<Joined> {
  return withConnection(destination.url, parts, async (connection) => {
    const { store, email } = await personOf(connection, destination, parts, signal);
    const signedIn = await connectAsUser(connection, store);
    const devices = await listDevices(signedIn, signal);
    const capabilities = await signedIn.service.capabilities(signal);
    const { deviceId, deviceName } = request;
    if (deviceId !== undefined) requireDevice(devices, deviceId);
    else if (!capabilities.has('devices.register')) throw wrongUsage('device-id-needed');
    return joinAccount(
      connection,
      signedIn,
      devices,
      request,
      async () => {
        if (deviceId !== undefined) {
          const { name } = requireDevice(devices, deviceId);
          const kept = { kind: 'user' as const, email };
          return { deviceId, deviceName: name, credentials: { session: store.session }, signIn: kept };
        }
        const registered = await registerDevice(signedIn.calls, thisDevice(deviceName), signal);
        const { deviceKey } = registered;
        const way = { kind: 'device' as const, email };
        return { deviceId: registered.deviceId, deviceName, credentials: { deviceKey }, signIn: way };
      },
      signal,
    );
  });
}

interface Person {
  readonly email: string;
  readonly store: UnsavedSession;
}

async function personOf(
  { calls }: Connection,
  destination: UserDestination,
  parts: AgentParts,
  signal: AbortSignal | undefined,
): Promise<Person> {
  if (destination.kind === 'session') return { email: destination.email, store: destination.session };
  const session =
    destination.kind === 'user'
      ? await signIn(calls, destination, signal)
      : await providerSession(calls, destination, parts.environment, signal);
  return { email: session.user.email, store: new UnsavedSession(storedSession(session, parts)) };
}

interface JoinedDevice {
  readonly deviceId: string;
  readonly deviceName: string;
  readonly credentials: Credentials;
  readonly signIn: Extract<Destination, { kind: 'service' }>['signIn'];
}

/** The key is settled before a device is registered: a wrong phrase changes nothing at the service. */
async function joinAccount(
  connection: Connection,
  signedIn: SignedInConnection,
  devices: readonly Device[],
  request: JoinRequest,
  becomeDevice: () => Promise<JoinedDevice>,
  signal: AbortSignal | undefined,
): Promise<Joined> {
  const ids = new Set(devices.map(({ id }) => id));
  if (request.deviceId !== undefined) ids.add(request.deviceId);
  const account = await findAccount(signedIn, [...ids], signal);
  const keys = await chooseMasterKey(request.keys, account);
  const { deviceId, deviceName, credentials, signIn: way } = await becomeDevice();
  return {
    destination: { kind: 'service', url: connection.calls.baseUrl, signIn: way },
    deviceId,
    deviceName,
    secrets: { ...keys, ...credentials },
    adopted: request.keys.master !== undefined || account.hasBackups,
    storedSets: account.sets,
    devices,
  };
}

/** A way to a service for as long as the work takes. @throws what the work throws; HoldfastError `usage` */
export async function withConnection<Result>(
  url: string,
  { clock, environment, onSkew }: AgentParts,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const options = { clock, environment, policy: INTERACTIVE_RETRY_POLICY, ...(onSkew ? { onSkew } : {}) };
  const { http, connection } = await connectTo(url, options);
  try {
    return await work(connection);
  } finally {
    await http.close();
  }
}

/** The devices of an account. Tries the sign-in as well. A device may lack the permission to see the list, and is signed in all the same. */
export async function listDevices(
  { service }: SignedInConnection,
  signal: AbortSignal | undefined,
): Promise<readonly Device[]> {
  try {
    return await service.devices(signal);
  } catch (error) {
    if (isHoldfastError(error, 'permission_denied')) return [];
    throw error;
  }
}

/** As a session is kept. */
export function storedSession(session: UserSession, { clock }: Pick<AgentParts, 'clock'>): StoredSession {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = session;
  return { accessToken, refreshToken, expiresAt: clock.now() + seconds * 1000 };
}
