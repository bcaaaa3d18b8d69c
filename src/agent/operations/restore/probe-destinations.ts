import { createHash } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import type { RunWarning } from '../../../jobs/run-warning.ts';
import type { RestoreSource } from '../../../model/restore-request.ts';
import { notStoredIn } from '../../../read/source/not-stored.ts';
import { findRestorePoint } from '../../../read/source/restore-point.ts';
import { openTree } from '../../../read/source/tree.ts';
import { partsAt, type AgentParts } from '../../context/agent-parts.ts';
import { withContext } from '../../context/open-context.ts';
import { listForWatch } from '../../context/watch-points.ts';
import { isHoldfastError } from '../../../base/errors/errors.ts';

/** The time that a destination has to respond before it counts as absent. */
const LIMIT_MS = 10_000;

/**
 * Returns the time of the restore point that a destination would restore; `undefined` if it is not at hand or has none.
 *
 * @param source the set at this destination
 */
export function pointAt(
  parts: AgentParts,
  id: string,
  source: RestoreSource,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  return probe(parts.clock, signal, (inner) =>
    withContext(partsAt(parts, id), {}, async ({ access, catalog }) => {
      const { service } = access;
      return Date.parse((await findRestorePoint(source, { service, catalog }, inner)).restorePoint);
    }),
  );
}

/** Lists a set at a destination. Returns what the list may hide; nothing if it is not at hand. */
export async function hiddenAt(
  parts: AgentParts,
  id: string,
  source: RestoreSource,
  signal: AbortSignal | undefined,
): Promise<readonly RunWarning[]> {
  const warnings = await probe(parts.clock, signal, (inner) =>
    withContext(partsAt(parts, id), {}, async (context) => {
      await listForWatch(context, source, inner);
      return context.watched.of(source);
    }),
  );
  return warnings ?? [];
}

/** What a restore point contains. */
export interface PointContent {
  /** Equal ones restore the same. */
  readonly digest: string;
  /** Whether it is without something that could not be read when it was made. */
  readonly isIncomplete: boolean;
}

/** Returns what a restore point contains; `undefined` if its tree cannot be read. */
export function contentAt(
  parts: AgentParts,
  id: string,
  source: RestoreSource,
  signal: AbortSignal | undefined,
): Promise<PointContent | undefined> {
  const { clock } = parts;
  return probe(clock, signal, (inner) =>
    withContext(partsAt(parts, id), {}, async ({ access, catalog, keys }) => {
      const { service, downloader } = access;
      const point = await findRestorePoint(source, { service, catalog }, inner);
      const { footer } = await openTree(source, point, { downloader, keys, clock }, inner);
      const digest = createHash('sha256').update(JSON.stringify([footer.roots, footer.privateNames]));
      for (const { chunks } of footer.pieces) digest.update(chunks);
      return { digest: digest.digest('hex'), isIncomplete: notStoredIn(footer.warnings, []).length > 0 };
    }),
  );
}

/** Returns `undefined` after a failure or the time limit. Only the caller's own signal throws. */
async function probe<Result>(
  clock: Clock,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | undefined> {
  const ended = new AbortController();
  const inner = signal ? AbortSignal.any([signal, ended.signal]) : ended.signal;
  const answer = work(inner).catch((error: unknown) => {
    signal?.throwIfAborted();
    if (isHoldfastError(error) || ended.signal.aborted) return undefined;
    throw error;
  });
  answer.catch(() => undefined);
  const limit = clock.sleep(LIMIT_MS, inner).then(
    () => undefined,
    () => undefined,
  );
  try {
    return await Promise.race([answer, limit]);
  } finally {
    ended.abort();
    signal?.throwIfAborted();
  }
}
