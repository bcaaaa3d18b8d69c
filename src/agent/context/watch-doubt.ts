import { Catalog } from '../../catalog/catalog.ts';
import type { Doubt } from '../../repository/doubt.ts';
import { locationOf } from '../home/destination-location.ts';
import { requireStoredSettings } from '../home/settings.ts';
import type { DestinationEntry } from '../home/destination-entry.ts';
import type { AgentParts, ReadDestination } from './agent-parts.ts';
import type { OperationContext } from './operation-context.ts';

/**
 * Has a destination tell, whenever restore points are read there, why its list of them cannot be vouched for: to whoever runs the operation, and to
 * the catalog for the status and the window.
 */
export function watchDoubt({ clock, onDoubt }: AgentParts, { settings, access, catalog }: OperationContext): void {
  const { repository } = access;
  if (!repository) return;
  repository.onRead = (doubt) => {
    catalog.history.recordDoubt(doubt !== undefined, clock.now());
    onDoubt?.(readDestinationOf(settings.all, settings.id), doubt);
  };
}

/** Does the same once for a destination that was joined, and whose restore points were read before it was one of this home. */
export function tellDoubt(parts: AgentParts, id: string, doubt: Doubt | undefined): void {
  const { home, clock, onDoubt } = parts;
  if (!doubt) return;
  using catalog = new Catalog(home.catalogFile);
  catalog.at(id).history.recordDoubt(true, clock.now());
  onDoubt?.(readDestinationOf(requireStoredSettings(home).destinations, id), doubt);
}

/** @param all the destinations of the home */
export function readDestinationOf(all: readonly DestinationEntry[], id: string): ReadDestination {
  const { name, destination } = all.find((entry) => entry.id === id)!;
  return { id, name, location: locationOf(destination), isSole: all.length === 1 };
}
