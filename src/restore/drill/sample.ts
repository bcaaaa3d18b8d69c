import type { Database } from 'better-sqlite3';
import { parentOf } from '../../model/entry-path.ts';
import type { PlanStore } from '../record/plan-store.ts';

/** What a drill restores of a restore point. */
export interface SampleLimits {
  /** Bytes of all files; a larger file is not chosen unless there is no smaller one. */
  readonly bytes: number;
  /** Number of files with the newest times. */
  readonly newest: number;
  /** Number of files chosen at random. */
  readonly random: number;
}

export interface Sample {
  readonly newest: number;
  readonly random: number;
  /** Files and bytes of the whole restore point. */
  readonly pointFiles: number;
  readonly pointBytes: number;
}

/** Files that are looked at before it is clear that no more of them fit. */
const CANDIDATES = 10_000;

/** The share of the bytes that the newest files get. */
const NEWEST_SHARE = 0.5;

const ORDERS = {
  newest: 'seconds DESC, nanoseconds DESC, id',
  random: 'random()',
  smallest: 'size, id',
} as const;

/** Reduces a plan to the newest files and to random ones, with the folders that they are in. */
export function reduceToSample(store: PlanStore, limits: SampleLimits): Sample {
  const { filesTotal, bytesTotal } = store.totals();
  const chosen = new Set<number>();
  const counts = { newest: 0, random: 0 };
  store.narrow((database) => {
    let left = limits.bytes * NEWEST_SHARE;
    const take = (order: keyof typeof ORDERS, most: number): number => {
      let taken = 0;
      for (const { id, size } of candidates(database, order)) {
        if (taken === most) break;
        if ((size > left && order !== 'smallest') || chosen.has(id)) continue;
        chosen.add(id);
        left -= size;
        taken += 1;
      }
      return taken;
    };
    counts.newest = take('newest', limits.newest);
    left += limits.bytes * (1 - NEWEST_SHARE);
    counts.random = take('random', limits.random);
    if (chosen.size === 0) counts.random = take('smallest', 1);
    keepOnly(database, chosen);
  });
  return { ...counts, pointFiles: filesTotal, pointBytes: bytesTotal };
}

function candidates(
  database: Database,
  order: keyof typeof ORDERS,
): readonly { readonly id: number; readonly size: number }[] {
  return database
    .prepare<[], { readonly id: number; readonly size: number }>(
      `SELECT id, size FROM entry WHERE type = 'file' ORDER BY ${ORDERS[order]} LIMIT ${CANDIDATES}`,
    )
    .all();
}

/** Removes all entries but these files and the folders above them. */
function keepOnly(database: Database, files: ReadonlySet<number>): void {
  database.exec('CREATE TEMP TABLE kept (path TEXT PRIMARY KEY) WITHOUT ROWID');
  const pathOf = database.prepare<[number], string>('SELECT path FROM entry WHERE id = ?').pluck();
  const keep = database.prepare('INSERT OR IGNORE INTO kept VALUES (?)');
  for (const id of files) {
    for (let path = pathOf.get(id)!; path !== ''; path = parentOf(path)) keep.run(path);
  }
  database.exec(
    `DELETE FROM entry WHERE path NOT IN (SELECT path FROM kept);
     DELETE FROM content WHERE id NOT IN (SELECT id FROM entry);
     DROP TABLE kept`,
  );
}
