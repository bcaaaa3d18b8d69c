import type { HistorySource } from '../../../history/points.ts';
import type { StoredSettings } from '../../home/settings.ts';
import { deviceAt } from '../restore/choose-destination.ts';

/** What a question about the history is asked of. */
export interface HistoryReference {
  /** Every set by default. */
  readonly set?: string | undefined;
  /** By default this computer, or if no set is named, all. */
  readonly device?: string | undefined;
  /** The id of a destination. All by default. */
  readonly destination?: string | undefined;
}

/** A source that is searched. */
export interface SearchedSource extends HistorySource {
  readonly id: number;
  /** Whether it is this computer's. */
  readonly isOwn: boolean;
}

/** Selects the sources of a reference. */
export function searchedSources(
  sources: readonly (HistorySource & { readonly id: number })[],
  stored: StoredSettings,
  { set, device, destination }: HistoryReference,
): readonly SearchedSource[] {
  return sources.flatMap((source) => {
    const entry = stored.destinations.find(({ id }) => id === source.destination);
    if (!entry || (destination !== undefined && entry.id !== destination)) return [];
    if (set !== undefined && source.set !== set) return [];
    const isOwn = source.device === entry.deviceId;
    const isEvery = set === undefined && device === undefined;
    if (!isEvery && source.device !== deviceAt(stored, entry, device)) return [];
    const { id, device: deviceId } = source;
    return [{ id, destination: entry.id, device: deviceId, set: source.set, isOwn }];
  });
}
