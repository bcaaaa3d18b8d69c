import { listEntries, type ListedEntry, type ListingObserver } from '../../read/list.ts';
import { WorkerPool } from '../../workers/pool.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import type { OperationRun } from '../context/operation-run.ts';
import type { SetReference } from '../context/set-source.ts';
import { ownRoots } from '../home/settings.ts';
import { givenEntryPath } from '../input/entry-path.ts';
import { openReading } from './restore/reading-context.ts';
import type { RestoreTime } from '../../model/restore-request.ts';

export interface ListOptions extends SetReference {
  readonly at: RestoreTime;
  /** The path as a person types it; see given-path.ts. */
  readonly path: string;
  readonly recursive: boolean;
}

/** Yields the content of a folder in batches. @throws HoldfastError `set_unknown`, `no_restore_point`, `path_not_found` */
export async function* list(
  parts: AgentParts,
  options: ListOptions,
  { signal, onWarning }: OperationRun & ListingObserver = {},
): AsyncGenerator<readonly ListedEntry[]> {
  const { home, clock } = parts;
  const path = givenEntryPath(options.path, ownRoots(home, options));
  await using pool = new WorkerPool();
  await using context = await openReading(parts, options, signal);
  const { catalog, access, keys, source, downloader } = context;
  try {
    const { service } = access;
    const dependencies = { service, downloader, catalog, pool, keys, clock, scratch: home.scratchFolder, onWarning };
    yield* listEntries({ source, path, recursive: options.recursive }, dependencies, signal);
  } catch (error) {
    throw access.explain(error);
  }
}
