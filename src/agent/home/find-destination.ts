import { HoldfastError } from '../../base/errors/errors.ts';
import { isSameName } from './destination-name.ts';
import type { DestinationEntry } from './destination-entry.ts';

/** Finds a configured destination by its name, or its id. @throws HoldfastError `destination_unknown` with the `known` ones */
export function requireDestination(
  { destinations }: { readonly destinations: readonly DestinationEntry[] },
  name: string,
): DestinationEntry {
  const found =
    destinations.find((entry) => isSameName(entry.name, name)) ?? destinations.find(({ id }) => id === name);
  if (found) return found;
  throw new HoldfastError('destination_unknown', { destination: name, known: destinations.map((entry) => entry.name) });
}
