import { bufferOf } from '../../base/buffer-of.ts';
import { HoldfastError, isHoldfastError } from '../../base/errors/errors.ts';
import { formatChunkHash } from '../../protocol/chunk-hash.ts';
import { TREE_PATH } from '../../protocol/path.ts';
import { isWithin } from '../../model/entry-path.ts';
import type { DestinationCatalog } from '../../catalog/catalog.ts';
import { chunkCount, digestAt, hexDigestAt, plaintextBytes } from '../../format/chunks/chunk-list.ts';
import { DigestSet } from '../../format/chunks/digest-set.ts';
import type { RunWarning } from '../../jobs/run-warning.ts';
import { readFooter } from '../../format/tree/footer.ts';
import { piecesWithin } from '../../format/tree/piece-ranges.ts';
import type { ListedPiece, TreeRecord, VerifiedFooter } from '../../format/tree/record.ts';
import { treeInvalid } from '../../format/tree/tree-invalid.ts';
import { TreeReader } from '../../format/tree/tree-reader.ts';
import { fetchChunks, fetchEach, type ChunkDependencies } from '../chunks/fetch-chunks.ts';
import type { RestoreSource, RestoreTime } from '../../model/restore-request.ts';
import { CLOCK_SLACK_MS, findListedPoint, type FoundRestorePoint, type SourceDependencies } from './restore-point.ts';

/** Limits of the pieces that are fetched together, while the previous ones are read. */
const GROUP_BYTES = 2 * 2 ** 20;
const GROUP_PIECES = 256;

/** A tree whose footer was read: that proves every piece. */
export interface OpenTree {
  readonly footer: VerifiedFooter;
  /** The restore session that serves its chunks. */
  readonly session: string;
}

/** A piece of a tree, or the reason why it cannot be read. */
export type PieceOutcome =
  | {
      readonly index: number;
      readonly records: readonly TreeRecord[];
      /** Paths of records that are refused; `undefined` for one without a path. */
      readonly refused: readonly (string | undefined)[];
      readonly error?: undefined;
    }
  | { readonly index: number; readonly error: HoldfastError };

/**
 * Reads and verifies the footer of a restore point's tree, which is the last chunk of its entry.
 *
 * @throws HoldfastError `chunk_*` and `tree_invalid` (reason `missing` if there is no tree, `other-set` if it belongs to
 *   another device or set, `revoked` if it was made by a device that was removed, after that)
 */
export async function openTree(
  source: Pick<RestoreSource, 'deviceId' | 'backupSet'>,
  { restoreSessionId: session, restorePoint, treeChunks }: FoundRestorePoint,
  deps: ChunkDependencies,
  signal?: AbortSignal,
): Promise<OpenTree> {
  const last = treeChunks?.at(-1);
  if (last === undefined) throw treeInvalid('missing');
  const [plaintext] = await fetchChunks({ session, hashes: [last] }, deps, signal);
  const footer = readFooter(plaintext!, deps.keys.tree);
  if (footer.deviceId !== source.deviceId || footer.backupSet !== source.backupSet) {
    throw new HoldfastError('tree_invalid', { reason: 'other-set', deviceId: footer.deviceId, set: footer.backupSet });
  }
  if (deps.keys.admits?.({ ...footer, time: Date.parse(restorePoint) }) === false) {
    throw new HoldfastError('tree_invalid', { reason: 'revoked', deviceId: footer.deviceId, set: footer.backupSet });
  }
  return { footer, session };
}

/** Problems of data that leave everything else readable. */
const DATA_FAILURES: ReadonlySet<string> = new Set([
  'tree_invalid',
  'chunk_missing',
  'chunk_tampered',
  'chunk_corrupt',
]);

/** Returns whether an error is a problem of a tree's data rather than of the connection. */
export function isDataFailure(error: unknown): error is HoldfastError {
  return isHoldfastError(error) && DATA_FAILURES.has(error.code);
}

/**
 * Downloads pieces of a tree and yields their records, in the order of `indexes`. Every record is proven. A piece that
 * cannot be read does not affect the others.
 */
export async function* readPieces(
  { footer, session }: OpenTree,
  indexes: Iterable<number>,
  deps: ChunkDependencies,
  signal?: AbortSignal,
): AsyncGenerator<PieceOutcome> {
  const reader = new TreeReader(footer);
  const all = [...indexes];
  const digests = new DigestSet();
  for (const index of all) addDigests(footer.pieces[index]!, digests);
  deps.downloader.expect?.((digest) => digests.has(bufferOf(digest)));
  const groups = groupsOf(footer.pieces, all);
  const fetchNext = (): FetchedGroup | undefined => {
    const { done, value: group } = groups.next();
    if (done) return undefined;
    const hashes = group.flatMap((index) => hashesOf(footer.pieces[index]!));
    const chunks = fetchEach({ session, hashes }, deps, signal);
    // Awaited later: a failure in the meantime must not count as unhandled.
    chunks.catch(() => undefined);
    return { group, chunks };
  };
  for (let next = fetchNext(); next;) {
    const { group, chunks } = next;
    const fetched = await chunks;
    next = fetchNext();
    for (const index of group) {
      const outcomes = hashesOf(footer.pieces[index]!).map((hash) => fetched.get(hash)!);
      yield decode(reader, index, outcomes);
    }
  }
}

function decode(reader: TreeReader, index: number, outcomes: readonly (Buffer | HoldfastError)[]): PieceOutcome {
  const plaintexts: Buffer[] = [];
  for (const outcome of outcomes) {
    if (!Buffer.isBuffer(outcome)) return { index, error: outcome };
    plaintexts.push(outcome);
  }
  try {
    return { index, ...reader.read(index, plaintexts) };
  } catch (thrown) {
    if (!isHoldfastError(thrown, 'tree_invalid')) throw thrown;
    return { index, error: thrown };
  }
}

interface FetchedGroup {
  readonly group: readonly number[];
  readonly chunks: ReturnType<typeof fetchEach>;
}

function* groupsOf(pieces: readonly ListedPiece[], indexes: Iterable<number>): Generator<readonly number[], undefined> {
  let group: number[] = [];
  let bytes = 0;
  for (const index of indexes) {
    group.push(index);
    bytes += plaintextBytes(pieces[index]!.chunks);
    if (group.length < GROUP_PIECES && bytes < GROUP_BYTES) continue;
    yield group;
    group = [];
    bytes = 0;
  }
  if (group.length > 0) yield group;
  return undefined;
}

function hashesOf({ chunks }: ListedPiece): readonly string[] {
  return Array.from({ length: chunkCount(chunks) }, (_, index) => formatChunkHash(hexDigestAt(chunks, index)));
}

function addDigests({ chunks }: ListedPiece, digests: DigestSet): void {
  for (let index = 0; index < chunkCount(chunks); index += 1) digests.add(Buffer.from(digestAt(chunks, index)));
}

/** The newest tree of a set, as far as the next backup needs it. */
export interface NewestTree {
  readonly footer: VerifiedFooter;
  /** ISO 8601. */
  readonly restorePoint: string;
  /** Reads what it has at an entry path and below. @throws HoldfastError if a part cannot be read */
  readonly recordsAt: (path: string) => AsyncIterable<Pick<TreeRecord, 'path' | 'type'>>;
}

/**
 * Reads the footer of a tree; no more of it until paths are asked for. Returns `undefined` if there is no restore point, if one that was listed is gone, or if it
 * has no tree.
 *
 * @throws HoldfastError `chunk_*` and `tree_invalid` if the service does not deliver it, and what the service throws
 */
export async function readTreeFooter(
  source: RestoreSource,
  deps: SourceDependencies & ChunkDependencies,
  signal?: AbortSignal,
): Promise<NewestTree | undefined> {
  const point = await findListedPoint(source, deps, signal).catch((error: unknown) => {
    if (isHoldfastError(error, 'no_restore_point')) return undefined;
    throw error;
  });
  if (!point?.treeChunks) return undefined;
  const tree = await openTree(source, point, deps, signal);
  return { ...tree, restorePoint: point.restorePoint, recordsAt: (path) => recordsAt(tree, path, deps, signal) };
}

/** Yields what a tree has at an entry path and below. @throws HoldfastError for a piece that cannot be read */
async function* recordsAt(
  tree: OpenTree,
  path: string,
  deps: ChunkDependencies,
  signal: AbortSignal | undefined,
): AsyncGenerator<TreeRecord> {
  const { pieces } = tree.footer;
  for await (const piece of readPieces(tree, piecesWithin(pieces, path), deps, signal)) {
    if (piece.error) throw piece.error;
    for (const record of piece.records) if (isWithin(record.path, path)) yield record;
  }
}

/**
 * Returns a warning if the service's answer contradicts the tree: it lists other chunks for the tree than its footer does,
 * serves another restore point than it says, or another tree than this computer knows it to have.
 */
export function checkAnswer(
  source: RestoreSource,
  point: FoundRestorePoint,
  footer: VerifiedFooter,
  { catalog, service }: SourceDependencies,
): readonly RunWarning[] {
  // The ledgers of a repository prove when a restore point was completed, which may be before its time.
  const at = service.manifests === 'none' ? 'latest' : source.at;
  const isSuspicious =
    hasOtherPieces(point, footer) ||
    isLaterThan(point, at, footer) ||
    isOtherTree(source, point, footer, catalog) ||
    isOutOfSequence(source, footer, catalog);
  return isSuspicious ? [{ path: TREE_PATH, reason: 'service_answer_suspicious' }] : [];
}

/** A destination may list the footer's chunk only. */
function hasOtherPieces({ treeChunks = [] }: FoundRestorePoint, { pieces }: VerifiedFooter): boolean {
  const listed = treeChunks.slice(0, -1);
  if (listed.length === 0) return false;
  const expected = pieces.flatMap(hashesOf);
  return listed.length !== expected.length || listed.some((hash, index) => hash !== expected[index]);
}

/** An authentic tree of another run in the place of one that this computer made or read. */
function isOtherTree(
  { deviceId, backupSet }: RestoreSource,
  { restorePoint }: FoundRestorePoint,
  { treeHash }: VerifiedFooter,
  catalog: DestinationCatalog,
): boolean {
  const known = catalog.history.treeHashAt(deviceId, backupSet, restorePoint);
  return known !== undefined && known !== treeHash;
}

/** A run begins before its restore point exists, and what was requested is not later than the requested time. */
function isLaterThan({ restorePoint }: FoundRestorePoint, at: RestoreTime, { created }: VerifiedFooter): boolean {
  const latest = at === 'latest' ? Date.parse(restorePoint) : Math.min(at, Date.parse(restorePoint));
  return created > latest + CLOCK_SLACK_MS;
}

/**
 * Detects a rollback: compares a tree with the newest that this computer has seen. Each tree's sequence is one more than
 * its predecessor's, and its time is later. So an older one as the latest, or a different one of the same number, is not
 * the last backup. A power loss can take what the computer that backs up had seen: the next tree then has the number of the last one
 * and continues the same tree, and the last one stays a state of an earlier time. So does one that was copied, outside of the chain.
 */
function isOutOfSequence(
  { deviceId, backupSet, at }: RestoreSource,
  footer: VerifiedFooter,
  catalog: DestinationCatalog,
): boolean {
  const seen = catalog.history.seenTree(deviceId, backupSet);
  if (!seen) return false;
  const { sequence, treeHash, previousTree, created } = footer;
  const isEarlier = sequence === 0 || (sequence === seen.sequence && created < seen.created);
  if (isEarlier && treeHash !== seen.treeHash) return at === 'latest';
  const isRestart = sequence === seen.sequence && previousTree === seen.previousTree && created > seen.created;
  if (isRestart) return false;
  const older = at === 'latest' && sequence < seen.sequence;
  const forked = sequence === seen.sequence && treeHash !== seen.treeHash;
  const cut = sequence === seen.sequence + 1 && previousTree !== seen.treeHash;
  const untimely = Math.sign(created - seen.created) !== Math.sign(sequence - seen.sequence);
  return older || forked || cut || untimely;
}
