import { failureOf, type Failure } from '../../../base/failure.ts';
import { isHoldfastError } from '../../../base/errors.ts';
import type { Repository } from '../../../repository/repository.ts';
import { partsAt, type AgentParts } from '../../context/agent-parts.ts';
import { openDestination } from '../../context/open-context.ts';
import type { ServiceAccess } from '../../destination/service-access.ts';
import { requireSettings, requireStoredSettings, settingsFor, type Settings } from '../../home/settings.ts';
import { requireSecrets } from '../../key-store/require-secrets.ts';
import type { KeyStore } from '../../key-store/key-store.ts';

/** A destination that is open, with what it stores. */
export interface OpenRepository {
  readonly settings: Settings;
  readonly access: ServiceAccess;
  readonly repository: Repository;
  /** Of the destination. */
  readonly keyStore: KeyStore;
}

/** A destination that could not be changed now. Its next backup does so. */
export interface AbsentDestination {
  readonly name: string;
  readonly failure: Failure;
}

export interface OpenRepositories extends AsyncDisposable {
  readonly open: readonly OpenRepository[];
  readonly absent: readonly AbsentDestination[];
  /** Names of services. */
  readonly services: readonly string[];
}

/** Opens all destinations that store files, one after the other: each may bring a new key. @throws the first error if none can be opened */
export async function openRepositories(parts: AgentParts, signal?: AbortSignal): Promise<OpenRepositories> {
  const stored = requireStoredSettings(parts.home);
  await using resources = new AsyncDisposableStack();
  const open: OpenRepository[] = [];
  const absent: AbsentDestination[] = [];
  const services: string[] = [];
  let firstError: Error | undefined;
  for (const { id, name, destination } of stored.destinations) {
    signal?.throwIfAborted();
    if (destination.kind === 'service') {
      services.push(name);
      continue;
    }
    try {
      const settings = settingsFor(stored, id);
      const keyStore = parts.keyStore.at(settings.credentials);
      const secrets = await requireSecrets(keyStore, settings);
      const access = resources.use(await openDestination(partsAt(parts, id), settings, secrets, {}));
      const { repository } = access;
      if (repository) open.push({ settings, access, repository, keyStore });
    } catch (error) {
      const failure = failureOf(error);
      if (!(error instanceof Error) || !failure || isHoldfastError(error, 'key_outdated')) throw error;
      firstError ??= error;
      absent.push({ name, failure });
    }
  }
  if (open.length === 0 && firstError !== undefined) throw firstError;
  const moved = resources.move();
  return { open, absent, services, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

/** The destination that a command without `--destination` means. @throws HoldfastError `not_set_up`, `destination_unknown` */
export function chosenOf({ open }: OpenRepositories, { home, destination }: AgentParts): OpenRepository | undefined {
  const { id } = requireSettings(home, destination);
  return open.find(({ settings }) => settings.id === id) ?? open[0];
}
