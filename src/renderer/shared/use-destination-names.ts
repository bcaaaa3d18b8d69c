import { useAppState } from '../bridge/use-app-state.ts';

/** By id; empty if there are not several destinations, since one needs no name. */
export function useDestinationNames(): ReadonlyMap<string, string> {
  const destinations = useAppState((state) => state.destinations) ?? [];
  return new Map(destinations.length < 2 ? [] : destinations.map(({ id, name }) => [id, name]));
}
