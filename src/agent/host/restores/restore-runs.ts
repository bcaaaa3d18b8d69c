import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { JobRecord, Journal, JournalledRequest } from '../../../engine/job/journal.ts';
import { givenEntryPaths } from '../../input/entry-path.ts';
import { outcomeOf } from '../../history/finished-runs.ts';
import type { KeptRestore } from './kept-restores.ts';

/** What the journal says of a restore that a process has left over. */
export type LostRun =
  /** No run of it has begun. */
  | { readonly kind: 'waits' }
  /** Its newest run was cut off: by a kill, or in order, when the program ended. */
  | { readonly kind: 'cut-off'; readonly run: number; readonly wasKilled: boolean }
  /** It came to an end, whichever. */
  | { readonly kind: 'over' };

/** Restores that began after one; more than a few are never looked at. */
const LOOKED_AT = 50;

/**
 * Finds what became of a restore. What was kept may be older than what happened: a process can end between the two, so that
 * the newest run of the very same request counts.
 */
export function lostRun(journal: Journal, kept: KeptRestore): LostRun {
  const own = journal
    .list({ kind: 'restore', backupSet: kept.request.set }, LOOKED_AT)
    .filter((job) => job.id > kept.run || (job.id === kept.run && kept.state === 'begun'))
    .find((job) => isSame(job, kept));
  if (!own && kept.state === 'waiting') return { kind: 'waits' };
  // While another program works on the home, what was killed may not be marked as that yet.
  if (!own && journal.get(kept.run)?.endedAt === null) return { kind: 'cut-off', run: kept.run, wasKilled: true };
  if (!own) return { kind: 'over' };
  if (outcomeOf(own.state) !== 'interrupted') return { kind: 'over' };
  // One that ended in order has written down how far it came.
  return { kind: 'cut-off', run: own.id, wasKilled: own.report === null };
}

/** The number of the newest run of any kind; 0 where there is none. */
export function newestRun(journal: Journal): number {
  const ended = journal.list({}, 1).map(({ id }) => id);
  return Math.max(0, ...ended, ...journal.open().map(({ id }) => id));
}

function isSame({ target, request }: JobRecord, { request: wanted, at: moment }: KeptRestore): boolean {
  if (target === null || request === null) return false;
  const { at, paths, without, conflict } = JSON.parse(request) as JournalledRequest;
  const { to, paths: wantedPaths, without: wantedWithout = [], conflict: choice } = wanted;
  return (
    resolve(to) === target &&
    at === moment &&
    conflict === choice &&
    isDeepStrictEqual(paths, givenEntryPaths(wantedPaths)) &&
    isDeepStrictEqual(without, givenEntryPaths(wantedWithout))
  );
}
