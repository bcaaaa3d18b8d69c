import pLimit from 'p-limit';
import {
  CHECKPOINTS_FOLDER,
  DESCRIPTION_COPY,
  DESCRIPTION_FILE,
  keyHashIn,
  KEYS_FOLDER,
  LEDGER_FOLDER,
  packName,
} from '../../format/repository/file-names.ts';
import { listLedger } from '../ledger/ledger-files.ts';
import { neededPacks } from '../projection/pack-files.ts';
import type { Repository } from '../repository.ts';
import { DAY } from '../../model/units.ts';
import { lockPeriod, LONGEST_DAYS } from './lock-period.ts';
import { leaveOut } from '../../storage/unreadable.ts';

/** Locks are extended once a day. */
const EXTENDED_EVERY = DAY;

/**
 * Extends the locks of all files that restore points need and whose locks end too early. When they end is remembered by this computer, so the
 * store is not asked about each.
 *
 * @returns the number of locks that were extended
 * @throws what the storage throws
 */
export async function extendLocks(repository: Repository, signal?: AbortSignal): Promise<number> {
  const { storage, projection } = repository;
  const { locks } = storage;
  const days = projection.points.longestMinimumDays();
  if (!locks || days === 0 || !(await locks.isSupported(signal))) return 0;
  const table = projection.locks;
  projection.change(() => {
    for (const [name, until] of locks.takeCreated()) table.record(name, until);
    table.forgetUntil(locks.now());
  });
  const now = locks.now();
  const until = now + lockPeriod(days);
  const needed = now + Math.min(days, LONGEST_DAYS) * DAY + EXTENDED_EVERY;
  const due = (await neededFiles(repository, signal)).filter((name) => table.until(name) < needed);
  const limit = pLimit(storage.concurrency);
  let extended = 0;
  const running = due.map((name) =>
    limit(async () => {
      signal?.throwIfAborted();
      const end = await locks.extend(name, until, signal);
      // A file that is not there is the business of a check.
      if (end === undefined) return;
      table.record(name, end);
      extended += 1;
    }),
  );
  await Promise.all(running).finally(() => limit.clearQueue());
  return extended;
}

/** Names of the files that restore points need: not those that a collector is about to delete. */
async function neededFiles(repository: Repository, signal: AbortSignal | undefined): Promise<readonly string[]> {
  const { storage, projection, parity } = repository;
  const names = [DESCRIPTION_FILE, DESCRIPTION_COPY];
  for await (const batch of storage.list(KEYS_FOLDER, signal, leaveOut)) {
    names.push(...batch.flatMap(({ name }) => (keyHashIn(name) === undefined ? [] : [name])));
  }
  const checkpoints = await listLedger(storage, CHECKPOINTS_FOLDER, signal, leaveOut);
  for (const files of checkpoints.values()) names.push(...files.slice(-2).map(({ name }) => name));
  for (const [writer, files] of await listLedger(storage, LEDGER_FOLDER, signal, leaveOut)) {
    const covered = checkpoints.get(writer)?.at(-2)?.number ?? 0;
    names.push(...files.flatMap(({ name, number }) => (number > covered ? [name] : [])));
  }
  const packs = new Set(neededPacks(projection.database).map((hash) => hash.toString('hex')));
  for (const pack of packs) names.push(packName(pack));
  for (const [pack, files] of await parity.list(undefined, signal)) {
    if (packs.has(pack)) names.push(...files.map(({ name }) => name));
  }
  return names;
}
