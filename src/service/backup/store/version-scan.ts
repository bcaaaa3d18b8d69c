import type { VersionKey, VersionSpan } from './version-span.ts';

/** Reads versions after `after`, in the order of their paths. */
interface VersionPages {
  versions(setNumber: number, after: VersionKey | undefined, limit: number): Promise<readonly VersionSpan[]>;
}

/** Versions that are read at once. */
const PAGE = 1_000;

/**
 * Reads all versions of a set, a page at a time, with a turn of the event loop in between.
 *
 * @param signal ends it early with `AbortError`
 */
export async function* scanVersions(
  store: VersionPages,
  setNumber: number,
  signal?: AbortSignal,
): AsyncGenerator<readonly VersionSpan[]> {
  let after: VersionKey | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const page = await store.versions(setNumber, after, PAGE);
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    after = page.at(-1)!;
    await new Promise(setImmediate);
  }
}
