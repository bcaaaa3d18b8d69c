import { DISTANCES, type Distance } from '../../destination/distance.ts';

/** What is known of a destination before one is chosen. Times are milliseconds since the epoch. */
export interface Candidate {
  readonly id: string;
  readonly distance: Distance;
  /** Time of the restore point that it would restore. `undefined` if it is not at hand or has none. */
  readonly point: number | undefined;
  /** The same, as far as this computer knows. */
  readonly known: number | undefined;
}

export interface Ranking {
  /** The nearest with a restore point. */
  readonly nearest: Candidate;
  /** The one with the newest restore point; the nearest of several. */
  readonly newest: Candidate;
  /** One that is not at hand and has a newer one, as far as this computer knows. */
  readonly absent: Candidate | undefined;
}

/** Sorts destinations by distance. Those of the same distance keep their order. */
export function nearestFirst<Item extends { readonly distance: Distance }>(items: readonly Item[]): readonly Item[] {
  return items.toSorted((a, b) => DISTANCES.indexOf(a.distance) - DISTANCES.indexOf(b.distance));
}

/** @param candidates in the order of the settings. Returns `undefined` if none at hand has a restore point */
export function rankDestinations(candidates: readonly Candidate[]): Ranking | undefined {
  const sorted = nearestFirst(candidates);
  const found = sorted.filter(({ point }) => point !== undefined);
  const [nearest] = found;
  if (!nearest) return undefined;
  const newest = found.reduce((best, each) => (each.point! > best.point! ? each : best));
  const newer = sorted.filter(
    ({ point, known }) => point === undefined && known !== undefined && known > newest.point!,
  );
  const absent = newer.toSorted((a, b) => b.known! - a.known!)[0];
  return { nearest, newest, absent };
}
