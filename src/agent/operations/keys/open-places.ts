import { failureOf, type Failure } from '../../../base/errors/failure.ts';
import { HoldfastError, isHoldfastError } from '../../../base/errors/errors.ts';
import { Catalog } from '../../../catalog/catalog.ts';
import type { Repository } from '../../../repository/repository.ts';
import { partsAt, type AgentParts } from '../../context/agent-parts.ts';
import { openDestination } from '../../context/open-context.ts';
import type { ServiceAccess } from '../../destination/service-access.ts';
import { takeServiceKeys, type ServiceKeys } from '../../destination/keys/service-keys.ts';
import { requireStoredSettings, settingsFor, type Settings } from '../../home/settings.ts';
import { requireSecrets } from '../../key-store/require-secrets.ts';
import type { KeyStore } from '../../key-store/key-store.ts';

/** A destination that is open, with the keys that it has. */
interface Opened {
  readonly settings: Settings;
  readonly access: ServiceAccess;
  /** Of the destination. */
  readonly keyStore: KeyStore;
}

export interface OpenRepository extends Opened {
  readonly repository: Repository;
}

/** A service that is open. Its next restore point carries what is changed here. */
export interface OpenService extends Opened {
  readonly repository?: undefined;
  readonly keys: ServiceKeys;
}

export type OpenPlace = OpenRepository | OpenService;

/** A destination that could not be changed now. Its next backup does so. */
export interface AbsentDestination {
  readonly id: string;
  readonly name: string;
  readonly failure: Failure;
}

export interface OpenPlaces extends AsyncDisposable {
  readonly open: readonly OpenPlace[];
  readonly absent: readonly AbsentDestination[];
}

/** Opens all destinations, one after the other: each may bring a new key. @throws the first error if none can be opened */
export async function openPlaces(parts: AgentParts, signal?: AbortSignal): Promise<OpenPlaces> {
  const stored = requireStoredSettings(parts.home);
  await using resources = new AsyncDisposableStack();
  const catalog = resources.use(new Catalog(parts.home.catalogFile));
  const open: OpenPlace[] = [];
  const absent: AbsentDestination[] = [];
  let firstError: Error | undefined;
  for (const { id, name } of stored.destinations) {
    signal?.throwIfAborted();
    try {
      const settings = settingsFor(stored, id);
      const keyStore = parts.keyStore.at(settings.credentials);
      const secrets = await requireSecrets(keyStore, settings);
      const access = resources.use(await openDestination(partsAt(parts, id), settings, secrets, {}));
      const { repository } = access;
      if (repository) open.push({ settings, access, repository, keyStore });
      else open.push(await serviceOf({ access, settings, secrets, catalog: catalog.at(id) }, parts, signal));
    } catch (error) {
      const failure = failureOf(error);
      if (!(error instanceof Error) || !failure || isHoldfastError(error, 'key_outdated')) throw error;
      firstError ??= error;
      absent.push({ id, name, failure });
    }
  }
  if (open.length === 0 && firstError !== undefined) throw firstError;
  const moved = resources.move();
  return { open, absent, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

async function serviceOf(
  opened: Parameters<typeof takeServiceKeys>[0],
  parts: AgentParts,
  signal: AbortSignal | undefined,
): Promise<OpenService> {
  const keys = await takeServiceKeys(opened, parts, signal);
  if (keys.settled.isWithdrawn) throw new HoldfastError('key_outdated', {});
  const { access, settings, keyStore, secrets, settled } = keys;
  return { access: { ...access, secrets, settled }, settings, keyStore, keys };
}
