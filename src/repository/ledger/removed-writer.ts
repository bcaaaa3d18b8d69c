import { CHECKPOINTS_FOLDER, LEDGER_FOLDER, ledgerFileName } from '../../format/repository/file-names.ts';
import type { Segment } from '../../format/repository/segment.ts';
import type { WriterEnd } from './admission.ts';
import { batchesOf, listLedger, openLedgerFile, type LedgerParts, type ListedLedgerFile } from './ledger-files.ts';
import { leaveOut, UnlistedFiles } from '../../storage/unreadable.ts';

interface RemovedWriter {
  readonly writer: string;
  readonly end: WriterEnd;
  /** Its segments in the repository. */
  readonly listed: readonly ListedLedgerFile[];
}

/**
 * Returns the names of the segments of a removed writer that count: its last one, those that this one follows, link by link, and those
 * that one of its checkpoints follows. Whoever has the writer's key could sign others, with any number.
 *
 * @throws what the storage throws
 */
export async function chainTo(
  parts: LedgerParts,
  { writer, end, listed }: RemovedWriter,
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  const nameOf = (number: number, hash: string): string => ledgerFileName('ledger', { writer, number }, hash);
  const previous = await previousOf(
    parts,
    listed.filter(({ number }) => number <= end.number),
    signal,
  );
  const starts = [{ number: end.number, hash: end.hash }];
  const checkpoints = (await listLedger(parts.storage, CHECKPOINTS_FOLDER, signal, leaveOut)).get(writer) ?? [];
  const pinned = checkpoints.filter(({ hash }) => end.checkpoints.includes(hash));
  for (const [{ number }, hash] of await linksOf(parts, pinned, signal)) if (hash) starts.push({ number, hash });
  const chain = new Set<string>();
  for (let { number, hash } of starts) {
    for (;;) {
      const name = nameOf(number, hash);
      const link = previous.get(name);
      if (chain.has(name) || !previous.has(name)) break;
      chain.add(name);
      if (link === undefined) break;
      number -= 1;
      hash = link;
    }
  }
  return chain;
}

/** Returns the hash of the previous segment of each that can be read, by its name. */
async function previousOf(
  parts: LedgerParts,
  files: readonly ListedLedgerFile[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, string | undefined>> {
  const links = await linksOf(parts, files, signal);
  return new Map(links.map(([{ name }, previous]) => [name, previous]));
}

/** Reads the files that can be read, with the hash of the segment that each states as the previous one. */
async function linksOf(
  parts: LedgerParts,
  files: readonly ListedLedgerFile[],
  signal: AbortSignal | undefined,
): Promise<readonly (readonly [ListedLedgerFile, Segment['previous']])[]> {
  const links: (readonly [ListedLedgerFile, Segment['previous']])[] = [];
  for (const batch of batchesOf(files, parts.storage.concurrency)) {
    const segments = await Promise.all(batch.map((file) => openLedgerFile(parts, file, signal)));
    for (const [index, opened] of segments.entries()) {
      if (typeof opened === 'object' && 'segment' in opened) links.push([batch[index]!, opened.segment.previous]);
    }
  }
  return links;
}

/**
 * Returns whether segments of removed writers were applied that do not count: they were written before this computer learned of the removal.
 *
 * @throws what the storage throws
 */
export async function hasForged(parts: LedgerParts, signal?: AbortSignal): Promise<boolean> {
  if (!parts.ends || parts.ends.size === 0) return false;
  const unlisted = new UnlistedFiles();
  const listing = await listLedger(parts.storage, LEDGER_FOLDER, signal, unlisted.add);
  const applied = parts.projection.ledgers.applied();
  for (const [writer, end] of parts.ends) {
    const own = applied.filter((segment) => segment.writer === writer);
    if (own.length === 0) continue;
    const chain = await chainTo(parts, { writer, end, listed: listing.get(writer) ?? [] }, signal);
    const names = own.map((segment) => ledgerFileName('ledger', segment, segment.hash));
    // What was read of a ledger that cannot be listed now says nothing against it.
    if (names.some((name) => !chain.has(name) && unlisted.problemOf(name) === undefined)) return true;
  }
  return false;
}
