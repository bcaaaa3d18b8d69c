import { HoldfastError, wrongUsage } from '../../base/errors/errors.ts';
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

/**
 * Returns the destination that a command for some of them means.
 *
 * @param destinations those for which the command is
 * @param chosen the id of the one that was chosen. By default the only one
 * @param messages what to do if there are several, by their names, and if there is none
 * @throws HoldfastError `usage` (`options`) unless exactly one is meant
 */
export function requireSole<Entry extends Pick<DestinationEntry, 'id' | 'name'>>(
  destinations: readonly Entry[],
  chosen: string | undefined,
  messages: { readonly several: (names: string) => string; readonly none: string },
): Entry {
  const meant = destinations.filter(({ id }) => chosen === undefined || chosen === id);
  const [first, second] = meant;
  if (first && !second) return first;
  const message = first ? messages.several(meant.map(({ name }) => name).join(', ')) : messages.none;
  throw wrongUsage({ problem: 'options', message });
}
