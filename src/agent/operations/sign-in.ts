import { HoldfastError } from '../../base/errors/errors.ts';
import { connectAsDevice, connectAsUser, type Connection } from '../../remote/connection.ts';
import type { StoredSession } from '../../remote/sign-in/user-token-source.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import type { NoInput, OperationRun } from '../context/operation-run.ts';
import { requireDevice, visibleDevices } from '../destination/keys/account-devices.ts';
import { withConnection } from '../destination/service-connection.ts';
import { requireSole } from '../home/find-destination.ts';
import type { Home } from '../home/home.ts';
import { lockSettings } from '../home/settings-lock.ts';
import { requireStoredSettings, saveStoredSettings, settingsFor, withSettings } from '../home/settings.ts';
import type { DestinationEntry } from '../home/destination-entry.ts';
import type { Destination } from '../../model/destination.ts';
import { requireSecrets } from '../key-store/require-secrets.ts';
import type { SetupDestinationOf } from '../setup/join-request.ts';
import { personOf } from '../setup/join-service.ts';

type ServiceDestination = Extract<Destination, { kind: 'service' }>;

export type SignInChoice = SetupDestinationOf<'device' | 'user' | 'provider'>;

export interface SignInRun extends OperationRun {
  /** Is passed the service and the device. */
  readonly choose: (url: string, deviceId: string) => Promise<SignInChoice>;
}

/**
 * Signs a home in again at a service, as the device that it is there: with the key of the device, or as a person whose account has
 * it. Sets, settings and restore points stay.
 *
 * @throws HoldfastError `device_refused`, `password_wrong`, `code_needed`, `code_wrong`, `provider_refused`, `usage` (`options` unless
 *   exactly one service is meant, `device-unknown`), `service_*`
 */
export async function signInAgain(
  parts: AgentParts,
  _input: NoInput,
  { choose, signal }: SignInRun,
): Promise<DestinationEntry> {
  const { id, url, deviceId } = serviceIn(parts.home, parts.destination);
  const choice = await choose(url, deviceId);
  const signedIn = await withConnection(url, parts, async (connection): Promise<SignedIn> =>
    choice.kind === 'device'
      ? await asDevice(connection, deviceId, choice.deviceKey, signal)
      : await asPerson(connection, deviceId, choice, parts, signal),
  );
  return await saveSignIn(parts, id, signedIn);
}

/** @param chosen the id of the destination that was chosen. By default the only one that is a service */
function serviceIn(
  home: Home,
  chosen: string | undefined,
): { readonly id: string; readonly url: string; readonly deviceId: string } {
  const places = requireStoredSettings(home).destinations.flatMap(({ id, name, deviceId, destination }) =>
    destination.kind === 'service' ? [{ id, name, deviceId, url: destination.url }] : [],
  );
  return requireSole(places, chosen, {
    several: (names) => `Name the service to sign in at: ${names}.`,
    none: 'Only a service has a sign-in. Add one with: holdfast destination add --server URL',
  });
}

/** How a home signs in from now on. */
export type SignedIn =
  | { readonly kind: 'device'; readonly deviceKey: string }
  | { readonly kind: 'user'; readonly email: string; readonly session: StoredSession };

async function asDevice(
  connection: Connection,
  deviceId: string,
  deviceKey: string,
  signal: AbortSignal | undefined,
): Promise<SignedIn> {
  // Fails if the service refuses the device.
  await visibleDevices(connectAsDevice(connection, { deviceId, deviceKey }).service, signal);
  return { kind: 'device', deviceKey };
}

async function asPerson(
  connection: Connection,
  deviceId: string,
  choice: Exclude<SignInChoice, { kind: 'device' }>,
  parts: AgentParts,
  signal: AbortSignal | undefined,
): Promise<SignedIn> {
  const { email, store } = await personOf(connection, choice, parts, signal);
  requireDevice(await visibleDevices((await connectAsUser(connection, store)).service, signal), deviceId);
  return { kind: 'user', email, session: store.session };
}

/**
 * Saves how a home signs in at a service: the secrets first, since the settings name them.
 *
 * @throws HoldfastError `refused` (`no-service`) if the destination has been changed meanwhile; `home_*`, `keychain_unavailable`
 */
export async function saveSignIn(
  { home, keyStore: all }: Pick<AgentParts, 'home' | 'keyStore'>,
  id: string,
  signedIn: SignedIn,
): Promise<DestinationEntry> {
  using _lock = lockSettings(home);
  const stored = requireStoredSettings(home);
  const settings = settingsFor(stored, id);
  const { destination } = settings;
  if (destination.kind !== 'service') throw new HoldfastError('refused', { problem: 'no-service' });
  const keyStore = all.at(settings.credentials);
  const { session: _ended, ...secrets } = await requireSecrets(keyStore, settings);
  if (signedIn.kind === 'user') await keyStore.saveSession(signedIn.session);
  else await keyStore.save({ ...secrets, deviceKey: signedIn.deviceKey });
  const next = withSettings(stored, {
    ...settings,
    destination: { ...destination, signIn: signInOf(signedIn, destination) },
  });
  saveStoredSettings(home, next);
  return next.destinations.find((other) => other.id === id)!;
}

function signInOf(signedIn: SignedIn, { signIn }: ServiceDestination): ServiceDestination['signIn'] {
  if (signedIn.kind === 'device') return { ...signIn, kind: 'device' };
  return { kind: 'user', email: signedIn.email };
}
