import type { Device } from '../../protocol/devices.ts';
import { HoldfastError, wrongUsage } from '../../base/errors/errors.ts';
import { connectAsDevice, connectAsUser, type Connection, type SignedInConnection } from '../../remote/connection.ts';
import { canClaimKey, claimedKey, claimKey } from '../../remote/sign-in/account-key.ts';
import { registerDevice } from '../../remote/sign-in/register-device.ts';
import { signIn } from '../../remote/sign-in/sign-in.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import { requireDevice, visibleDevices } from '../destination/keys/account-devices.ts';
import { withConnection } from '../destination/service-connection.ts';
import { thisDevice } from '../destination/this-device.ts';
import { isUnencrypted } from '../../base/unencrypted.ts';
import type { Destination } from '../../model/destination.ts';
import { keyRingIn, type Secrets } from '../key-store/key-store.ts';
import { storedSession, UnsavedSession } from '../key-store/stored-session.ts';
import { findAccount } from './account-state.ts';
import type { Joined, JoinRequest, SetupDestinationOf } from './join-request.ts';
import { refuseSame } from './known-backups.ts';
import { chooseMasterKey, type KeyChoice } from './master-key.ts';
import { providerSession } from './provider-session.ts';
import type { KeyEnvelope } from '../../format/crypto/key-envelope.ts';
import { keyIdOf } from '../../format/crypto/keys.ts';

type UserDestination = SetupDestinationOf<'user' | 'provider' | 'session'>;

/** Joins with a device's id and key. @throws HoldfastError `device_refused`, `phrase_*`, `service_*` */
export async function joinAsDevice(
  { url, deviceKey }: SetupDestinationOf<'device'>,
  request: JoinRequest,
  parts: AgentParts,
  signal?: AbortSignal,
): Promise<Joined> {
  const { deviceId } = request;
  if (deviceId === undefined) throw wrongUsage({ problem: 'device-id-needed' });
  return withConnection(url, parts, async (connection) => {
    const signedIn = connectAsDevice(connection, { deviceId, deviceKey });
    // Fails if the service refuses the device.
    const devices = await visibleDevices(signedIn.service, signal);
    const deviceName = devices.find(({ id }) => id === deviceId)?.name ?? request.deviceName;
    const device: JoinedDevice = { deviceId, deviceName, credentials: { deviceKey }, signIn: { kind: 'device' } };
    return joinAccount({ connection, signedIn, devices, becomeDevice: () => Promise.resolve(device) }, request, signal);
  });
}

/**
 * Joins as a person: with e-mail, password and code, or through an identity provider. If the service can register devices,
 * this computer becomes one and the person's session is not stored. Otherwise, or to continue as an existing device, it is.
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
    const devices = await visibleDevices(signedIn.service, signal);
    const capabilities = await signedIn.service.capabilities(signal);
    const { deviceId, deviceName } = request;
    if (deviceId !== undefined) requireDevice(devices, deviceId);
    else if (!capabilities.has('devices.register')) throw wrongUsage({ problem: 'device-id-needed' });
    const becomeDevice = async (): Promise<JoinedDevice> => {
      if (deviceId === undefined) {
        const registered = await registerDevice(signedIn.calls, thisDevice(deviceName), signal);
        const credentials = { deviceKey: registered.deviceKey };
        return { deviceId: registered.deviceId, deviceName, credentials, signIn: { kind: 'device', email } };
      }
      const { name } = requireDevice(devices, deviceId);
      const credentials = { session: store.session };
      return { deviceId, deviceName: name, credentials, signIn: { kind: 'user', email } };
    };
    return joinAccount({ connection, signedIn, devices, becomeDevice }, request, signal);
  });
}

/** A person who has signed in, and their session. */
export interface Person {
  readonly email: string;
  readonly store: UnsavedSession;
}

/** Signs a person in. @throws HoldfastError `password_wrong`, `code_needed`, `code_wrong`, `provider_refused`, `service_*` */
export async function personOf(
  { calls }: Connection,
  destination: UserDestination,
  { clock, environment }: Pick<AgentParts, 'clock' | 'environment'>,
  signal: AbortSignal | undefined,
): Promise<Person> {
  if (destination.kind === 'session') return { email: destination.email, store: destination.session };
  const session =
    destination.kind === 'user'
      ? await signIn(calls, destination, signal)
      : await providerSession(calls, destination, environment, signal);
  const given = destination.kind === 'user' ? destination.email : '';
  return { email: session.user.email || given, store: new UnsavedSession(storedSession(session, clock)) };
}

interface JoinedDevice {
  readonly deviceId: string;
  readonly deviceName: string;
  /** Sign this home in from now on. */
  readonly credentials: Pick<Secrets, 'deviceKey' | 'session'>;
  readonly signIn: Extract<Destination, { kind: 'service' }>['signIn'];
}

interface Account {
  readonly connection: Connection;
  readonly signedIn: SignedInConnection;
  readonly devices: readonly Device[];
  readonly becomeDevice: () => Promise<JoinedDevice>;
}

/** Settles the key before it registers a device: a wrong phrase changes nothing at the service. */
async function joinAccount(
  { connection, signedIn, devices, becomeDevice }: Account,
  request: JoinRequest,
  signal: AbortSignal | undefined,
): Promise<Joined> {
  const ids = new Set(devices.map(({ id }) => id));
  refuseSame(request, ({ deviceId }) => ids.has(deviceId));
  if (request.deviceId !== undefined) ids.add(request.deviceId);
  const account = await findAccount(signedIn, [...ids], signal);
  if (request.keys.code !== undefined) throw wrongUsage({ problem: 'code-of-service' });
  if (!account.hasBackups) requireOwnClaim(await claimedKey(signedIn, signal), request.keys);
  const keys = await chooseMasterKey(request.keys, account);
  const { deviceId, deviceName, credentials, signIn: howToSignIn } = await becomeDevice();
  const joined: Joined = {
    destination: { kind: 'service', url: connection.calls.baseUrl, signIn: howToSignIn },
    deviceId,
    deviceName,
    secrets: { ...keys, ...credentials },
    adopted: request.keys.master !== undefined || account.hasBackups,
    storedSets: account.sets,
    devices,
    cautions: isUnencrypted(connection.calls.baseUrl) ? ['unencrypted'] : [],
    ...(account.envelopes.some(({ envelope }) => hasLaterKey(envelope, keys.masterKey)) && { isOutdated: true }),
  };
  if (!account.hasBackups) await claim(signedIn, joined, request, signal);
  await request.save?.(joined);
  return joined;
}

/**
 * Claims the key for the account, so that a computer that is set up before the first backup does not make another one. The secrets
 * are saved first: if this set-up is killed, the next one continues with the claimed key.
 */
async function claim(
  signedIn: SignedInConnection,
  { deviceId, secrets }: Joined,
  request: JoinRequest,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (!(await canClaimKey(signedIn, signal))) return;
  await request.begin?.(secrets);
  const claimed = await claimKey(signedIn, { keyId: keyIdOf(secrets.masterKey), deviceId }, signal);
  try {
    requireOwnClaim(claimed, {
      ...request.keys,
      master: secrets.masterKey,
      isEntered: request.keys.master !== undefined,
    });
  } catch (error) {
    await request.withdraw?.(secrets);
    throw error;
  }
}

/** @throws HoldfastError `phrase_needed`, `phrase_other_account` if another computer has claimed another key for the account */
function requireOwnClaim(
  claimed: string | undefined,
  { master, account, left, isEntered = master !== undefined }: KeyChoice & { readonly isEntered?: boolean },
): void {
  if (claimed === undefined) return;
  const own = [...(account ? keyRingIn(account).map((key) => key.master) : []), master, left?.masterKey];
  if (own.some((key) => key !== undefined && keyIdOf(key) === claimed)) return;
  throw new HoldfastError(isEntered ? 'phrase_other_account' : 'phrase_needed', {});
}

/** Returns whether an envelope is of a key that came after this one. */
function hasLaterKey({ earlier }: KeyEnvelope, master: Uint8Array): boolean {
  const keyId = keyIdOf(master);
  return earlier.some((key) => key.keyId === keyId);
}
