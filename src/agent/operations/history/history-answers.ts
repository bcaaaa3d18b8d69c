import { HoldfastError } from '../../../base/errors/errors.ts';
import { isHistoryDamage, openHistoryReader, removeHistory, type HistoryDatabase } from '../../../history/database.ts';
import { findEntries, type FindRequest } from '../../../history/search/find.ts';
import type { HistoryPoint } from '../../../history/points.ts';
import { PointTree, type PointEntry } from '../../../history/point-tree.ts';
import { HistoryQueries, type HistoryEntry, type Page } from '../../../history/queries.ts';
import { goneFrom, timelineOf, type TimelinePoint } from '../../../history/timeline.ts';
import { fileIdentitySync } from '../../home/file-version.ts';
import type { Home } from '../../home/home.ts';
import { requireStoredSettings } from '../../home/settings.ts';
import { datedBy, type DatedChange, type DatedSpan } from './dated-span.ts';
import { pathsOf, setOf, unitedVersions, type FoundPath, type FoundPathVersion, type Searched } from './found-paths.ts';
import { searchedSources, type HistoryReference, type SearchedSource } from './searched-sources.ts';
import type { RestoreTime } from '../../../model/restore-request.ts';

/** How much of the searched restore points is known. */
export interface Completeness {
  readonly known: number;
  readonly total: number;
  /** Whether every searched destination has listed its restore points once. */
  readonly isListed: boolean;
  /** Those whose trees cannot be read. */
  readonly damaged: readonly (HistoryPoint & { readonly destination: string })[];
}

export type PathSearch = HistoryReference & Omit<FindRequest, 'sources' | 'newest'>;

/** Entries of a tree that are read at a time. */
const BATCH = 2_000;

/** Answers questions from the history of files in a home, without network. */
export class HistoryAnswers implements Disposable {
  readonly #home: Home;
  #open: { readonly identity: string; readonly database: HistoryDatabase } | undefined;
  #isLost = false;

  constructor(home: Home) {
    this.#home = home;
  }

  /** Whether a question so far met no history, or a damaged one, so that its answer is empty. */
  get isLost(): boolean {
    return this.#isLost;
  }

  completeness(reference: HistoryReference): Completeness {
    return this.#ask({ known: 0, total: 0, isListed: false, damaged: [] }, reference, (queries, sources) => {
      const all = sources.flatMap(({ id, destination }) =>
        queries.points.all(id).map((point) => Object.assign(point, { destination })),
      );
      const damaged = all.filter(({ state }) => state === 'damaged');
      const listed = new Set(queries.points.sources().flatMap(({ id, listedAt }) => (listedAt > 0 ? [id] : [])));
      return {
        known: all.filter(({ state }) => state === 'known').length,
        total: all.length,
        isListed: sources.length > 0 && sources.every(({ id }) => listed.has(id)),
        damaged,
      };
    });
  }

  /** Returns the id of the only device with a set of this name, if that is not this computer. */
  otherDeviceOf(set: string): string | undefined {
    return this.#ask(undefined, { set }, (queries) => {
      const stored = requireStoredSettings(this.#home);
      if (stored.sets.some(({ name }) => name === set)) return undefined;
      const own = new Set(stored.destinations.map(({ deviceId }) => deviceId));
      const sources = queries.points.sources().filter((source) => source.set === set);
      const devices = new Set(sources.map(({ device }) => device));
      const [only] = devices;
      return devices.size === 1 && !own.has(only!) ? only : undefined;
    });
  }

  /** The sources with restore points that are known here. */
  sources(destination: string | undefined): readonly SearchedSource[] {
    return this.#ask([], { destination }, (queries, sources) =>
      sources.filter(({ id }) => queries.points.known(id).length > 0),
    );
  }

  /** The restore points of a set that are known here, newest first, at the destination with the newest; `undefined` if there are none. */
  knownPoints(
    reference: HistoryReference,
  ): { readonly source: SearchedSource; readonly points: readonly HistoryPoint[] } | undefined {
    return this.#ask(undefined, reference, (queries, sources) => {
      const newest = newestSource(queries, sources);
      if (newest === undefined) return undefined;
      const points = queries.points.all(newest).filter(({ state }) => state === 'known');
      return { source: sources.find(({ id }) => id === newest)!, points: points.toReversed() };
    });
  }

  /**
   * Yields all entries of a restore point in path order, in batches.
   *
   * @throws HoldfastError `no_restore_point` if exactly that one is not known here
   */
  *tree(reference: HistoryReference, time: number): Generator<readonly PointEntry[], void, void> {
    const tree = this.#ask(undefined, reference, (queries, sources) => {
      const { source, point } = pointOf(queries, sources, time);
      return point === time ? new PointTree(source.id, time, queries.points.roots(source.id, time)) : undefined;
    });
    if (!tree) noPoint();
    const next = (): readonly PointEntry[] =>
      this.#ask(undefined, reference, (_queries, _sources, database) => tree.next(database, BATCH)) ?? noPoint();
    for (let entries = next(); entries.length > 0; entries = next()) yield entries;
  }

  /** @param after where the page before ended. A page may be empty although others follow */
  find(
    search: PathSearch,
    page: { readonly after?: number | undefined; readonly count: number },
  ): Page<FoundPath, number> {
    return this.#ask({ rows: [], next: undefined }, search, (queries, sources, database) => {
      const times = timesOf(queries, sources);
      const late = lateOf(queries, sources);
      const request = { ...search, sources: times, newest: newestOf(sources, times) };
      const { rows, next } = findEntries(database, request, page);
      const found = rows.flatMap(({ path, versions, isDeleted }) =>
        pathsOf(path, versions, isDeleted, { sources, times, late }),
      );
      return { rows: found, next };
    });
  }

  /** Versions of a path, oldest first, each with the number of restore points that have it. */
  versions(reference: HistoryReference, path: string): readonly (FoundPathVersion & { readonly points: number })[] {
    return this.#ask([], reference, (queries, sources) => {
      const times = timesOf(queries, sources);
      const versions = sources.flatMap(({ id }) =>
        queries.versions(id, path).map((version) => Object.assign(version, { source: id })),
      );
      return unitedVersions(versions, { sources, times, late: lateOf(queries, sources) }).map((version) => {
        const at = sources.filter(({ destination }) => version.destinations.includes(destination));
        const all = new Set(at.flatMap(({ id }) => times.get(id)!));
        const points = [...all].filter((time) => time >= version.from && time <= version.to).length;
        return Object.assign(version, { points });
      });
    });
  }

  /**
   * Lists a folder as it was at a time, at the destination with the newest restore point of that time.
   *
   * @throws HoldfastError `no_restore_point` if none of that time is known here
   */
  folder(
    reference: HistoryReference,
    {
      path,
      time,
      ...page
    }: {
      readonly path: string;
      readonly time: RestoreTime;
      readonly after?: string | undefined;
      readonly count: number;
    },
  ): Page<HistoryEntry & DatedSpan, string> & { readonly point: number; readonly destination: string } {
    return (
      this.#ask(undefined, reference, (queries, sources) => {
        const { source, point } = pointOf(queries, sources, time);
        const { rows, next } = queries.folder(source.id, path, point, page);
        const dated = datedBy([queries.points.late(source.id)]);
        return { rows: rows.map(dated), next, point, destination: source.destination };
      }) ?? noPoint()
    );
  }

  /**
   * Lists the differences between two times, at the destination with the newest restore point of the later one.
   *
   * @param from by default the restore point before the later one
   * @param orNothing returns no rows, and 0 as `from`, if the later one is the first
   * @throws HoldfastError `no_restore_point` if none of these times is known here
   */
  changes(
    reference: HistoryReference,
    {
      from,
      to,
      orNothing = false,
      ...page
    }: {
      readonly from: number | undefined;
      readonly orNothing?: boolean;
      readonly to: RestoreTime;
      readonly after?: number | undefined;
      readonly count: number;
    },
  ): Page<DatedChange, number> & DatedSpan & { readonly destination: string } {
    return (
      this.#ask(undefined, reference, (queries, sources) => {
        const { source, point } = pointOf(queries, sources, to);
        const start = from === undefined ? queries.pointBefore(source.id, point) : queries.pointAt(source.id, from);
        const dated = datedBy([queries.points.late(source.id)]);
        const { destination } = source;
        if (start === undefined) {
          const isFirst = orNothing && queries.points.all(source.id).every(({ time }) => time >= point);
          const span = dated({ from: 0, to: point });
          if (isFirst) return { rows: [], next: undefined, ...span, destination };
          if (from !== undefined) noPoint(from);
          const later = new Date(span.madeTo).toISOString();
          throw new HoldfastError('no_restore_point', { later, problem: 'no-earlier' });
        }
        const { rows, next } = queries.changes(source.id, { from: start, to: point }, page);
        const changes = rows.map(({ path, before, after }) => ({
          path,
          before: before && dated(before),
          after: after && dated(after),
        }));
        return { rows: changes, next, ...dated({ from: start, to: point }), destination };
      }) ?? noPoint()
    );
  }

  /** Counts what changed in a folder in each of the newest restore points, at the destination with the newest. */
  timeline(
    reference: HistoryReference,
    { path, count }: { readonly path: string; readonly count: number },
  ): readonly TimelinePoint[] {
    return this.#ask([], reference, (queries, sources, database) => {
      const newest = newestSource(queries, sources);
      if (newest === undefined) return [];
      return timelineOf(database, newest, path, { known: queries.points.known(newest), count });
    });
  }

  /** Lists what existed in a folder before a time, and not at that time, each entry as it was last. */
  gone(
    reference: HistoryReference,
    { path, time, count }: { readonly path: string; readonly time: number; readonly count: number },
  ): readonly (HistoryEntry & DatedSpan)[] {
    return this.#ask([], reference, (queries, sources, database) => {
      const newest = newestSource(queries, sources);
      if (newest === undefined) return [];
      const gone = goneFrom(database, newest, path, { time, known: queries.points.known(newest), count });
      return gone.map(datedBy([queries.points.late(newest)]));
    });
  }

  [Symbol.dispose](): void {
    this.#open?.database.close();
    this.#open = undefined;
  }

  /** @param nothing the answer if there is no history yet, or a damaged one */
  #ask<Answer>(
    nothing: Answer,
    reference: HistoryReference,
    answer: (queries: HistoryQueries, sources: readonly SearchedSource[], database: HistoryDatabase) => Answer,
  ): Answer {
    const stored = requireStoredSettings(this.#home);
    try {
      const database = this.#database();
      if (!database) {
        this.#isLost = true;
        return nothing;
      }
      return database.transaction(() => {
        const queries = new HistoryQueries(database);
        return answer(queries, searchedSources(queries.points.sources(), stored, reference), database);
      })();
    } catch (error) {
      if (!isHistoryDamage(error)) throw error;
      this.#isLost = true;
      // It is made anew with the next change.
      this[Symbol.dispose]();
      try {
        removeHistory(this.#home.historyFile);
      } catch {
        // Windows keeps a file that another process has open, which then meets the damage itself.
      }
      return nothing;
    }
  }

  #database(): HistoryDatabase | undefined {
    const { historyFile } = this.#home;
    const identity = fileIdentitySync(historyFile);
    if (this.#open?.identity === identity) return this.#open.database;
    this[Symbol.dispose]();
    const database = identity === '' ? undefined : openHistoryReader(historyFile);
    this.#open = database && { identity, database };
    return database;
  }
}

/** The source with the newest restore point; `undefined` if none is known. */
function newestSource(queries: HistoryQueries, sources: readonly SearchedSource[]): number | undefined {
  const timeOf = (id: number): number => queries.points.known(id).at(-1) ?? 0;
  const [newest] = sources.map(({ id }) => id).toSorted((one, other) => timeOf(other) - timeOf(one));
  return newest !== undefined && timeOf(newest) > 0 ? newest : undefined;
}

function timesOf(queries: HistoryQueries, sources: readonly SearchedSource[]): ReadonlyMap<number, readonly number[]> {
  return new Map(sources.map(({ id }) => [id, queries.points.known(id)]));
}

function lateOf(queries: HistoryQueries, sources: readonly SearchedSource[]): Searched['late'] {
  return new Map(sources.map(({ id }) => [id, queries.points.late(id)]));
}

/** The sources that have the newest restore point of their set: a destination that was away for long says nothing about deleted files. */
function newestOf(
  sources: readonly SearchedSource[],
  times: ReadonlyMap<number, readonly number[]>,
): ReadonlySet<number> {
  const timeOf = ({ id }: SearchedSource): number => times.get(id)!.at(-1) ?? 0;
  const newest = Map.groupBy(sources, setOf)
    .values()
    .map((same) => same.reduce((best, source) => (timeOf(source) > timeOf(best) ? source : best)));
  return new Set(newest.map(({ id }) => id));
}

function pointOf(
  queries: HistoryQueries,
  sources: readonly SearchedSource[],
  time: RestoreTime,
): { readonly source: SearchedSource; readonly point: number } {
  const [best] = sources
    .flatMap((source) => {
      const point = queries.pointAt(source.id, time);
      return point === undefined ? [] : [{ source, point }];
    })
    .toSorted((a, b) => b.point - a.point);
  return best ?? noPoint(time);
}

/** @param time the one that was asked for */
function noPoint(time: RestoreTime = 'latest'): never {
  throw new HoldfastError('no_restore_point', time === 'latest' ? {} : { time: new Date(time).toISOString() });
}
