import type { FoundVersion } from '../../../history/search/find.ts';
import { unitedSpans } from '../../../history/spans.ts';
import { datedBy, type DatedSpan, type DatedVersion } from './dated-span.ts';
import type { SearchedSource } from './searched-sources.ts';

/** A version with all restore points that have it, at any of the searched destinations. */
export interface FoundPathVersion extends DatedVersion {
  /** Ids. */
  readonly destinations: readonly string[];
}

export interface FoundPath {
  readonly path: string;
  readonly set: string;
  /** `undefined` for this computer. */
  readonly device: string | undefined;
  /** The restore points in which it existed. */
  readonly spans: readonly DatedSpan[];
  /** Oldest first. */
  readonly versions: readonly FoundPathVersion[];
  readonly isDeleted: boolean;
}

/** What a search looks through. */
export interface Searched {
  readonly sources: readonly SearchedSource[];
  /** Of each source, its known restore points in ascending order. */
  readonly times: ReadonlyMap<number, readonly number[]>;
  /** Of each source, when those were made whose own times follow one from a clock that was ahead. */
  readonly late: ReadonlyMap<number, ReadonlyMap<number, number>>;
}

/** A device has another id at each destination, but this computer's are one. */
export function setOf({ set, device, isOwn }: SearchedSource): string {
  return JSON.stringify([set, isOwn ? undefined : device]);
}

export function pathsOf(
  path: string,
  versions: readonly FoundVersion[],
  isDeleted: boolean,
  searched: Searched,
): readonly FoundPath[] {
  const { sources, times, late } = searched;
  const ofSets = Map.groupBy(versions, ({ source }) => setOf(sources.find(({ id }) => id === source)!));
  return Array.from(ofSets.values(), (same): FoundPath => {
    const { set, device, isOwn } = sources.find(({ id }) => id === same[0]!.source)!;
    const ids = [...new Set(same.map(({ source }) => source))];
    return {
      path,
      set,
      device: isOwn ? undefined : device,
      spans: unitedSpans(
        same,
        ids.map((id) => times.get(id)!),
      ).map(datedBy(ids.map((id) => late.get(id)!))),
      versions: unitedVersions(same, searched),
      isDeleted,
    };
  });
}

/** Unites the same version of several destinations. */
export function unitedVersions(
  versions: readonly FoundVersion[],
  { sources, times, late }: Searched,
): readonly FoundPathVersion[] {
  const same = Map.groupBy(versions, ({ kind, size, modified, content }) => `${kind} ${size} ${modified} ${content}`);
  const united = same.values().flatMap((group) => {
    const ids = [...new Set(group.map(({ source }) => source))];
    const { kind, size, modified, content } = group[0]!;
    const dated = datedBy(ids.map((id) => late.get(id)!));
    return unitedSpans(
      group,
      ids.map((id) => times.get(id)!),
    ).map(({ from, to }): FoundPathVersion => {
      const within = group.filter((version) => version.from <= to && version.to >= from);
      const at = sources.filter(({ id }) => within.some(({ source }) => source === id));
      const destinations = at.map(({ destination }) => destination);
      return dated({ from, to, kind, size, modified, content, destinations });
    });
  });
  return [...united].sort((a, b) => a.from - b.from || a.to - b.to);
}
