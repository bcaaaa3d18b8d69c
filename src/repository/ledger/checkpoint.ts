import { dirname, join } from 'node:path';
import { encode, rfc8949EncodeOptions } from 'cborg';
import { decodeTable, packBytesOf } from '../../format/repository/pack-file.ts';
import { encodeSegment, type EncodedFile } from '../../format/repository/segment.ts';
import { retentionPolicy } from '../../protocol/retention.ts';
import type { Fact, FactOf } from '../../format/repository/facts.ts';
import { CHECKPOINTS_FOLDER, hashOf, parseLedgerName } from '../../format/repository/file-names.ts';
import { deleteUnlocked } from '../delete-unlocked.ts';
import type { Projection } from '../projection/projection.ts';
import { ScratchProjection } from '../projection/scratch-projection.ts';
import { lateSegments, type OwnLedgerParts } from './append-facts.ts';
import { listLedger, type LedgerListing } from './ledger-files.ts';
import { readLedgers } from './read-ledgers.ts';
import { leaveOut } from '../../storage/unreadable.ts';

/** Segments after which a writer writes a checkpoint. */
const SEGMENTS_PER_CHECKPOINT = 64;

/** The projection of this computer differs from the ledgers that it was folded from. */
export class WrongProjectionError extends Error {
  override readonly name = 'WrongProjectionError';
}

/**
 * Writes a checkpoint of this writer's ledger if it has grown by enough segments since the last one. A reader may then start from
 * it. Earlier segments stay until the collector removes them.
 *
 * @throws WrongProjectionError
 */
export async function writeCheckpointIfDue(
  parts: OwnLedgerParts,
  signal?: AbortSignal,
  every = SEGMENTS_PER_CHECKPOINT,
): Promise<boolean> {
  if (!isCheckpointDue(parts, every) || hasDamage(parts.projection, parts.writerKey.id)) return false;
  // Nor may it stand for a segment that may still turn up, and that others would then read.
  if (lateSegments(parts).length > 0) return false;
  return await writeCheckpoint(parts, signal);
}

/** Returns whether a writer's ledger has grown by enough segments. */
export function isCheckpointDue(
  { projection, writerKey }: Pick<OwnLedgerParts, 'projection' | 'writerKey'>,
  every = SEGMENTS_PER_CHECKPOINT,
): boolean {
  const own = projection.ledgers.writer(writerKey.id);
  return own !== undefined && own.number - own.base >= every;
}

/** A checkpoint stands for all segments before it: it would make the loss of one that could not be read final. */
function hasDamage({ ledgers }: Projection, writer: string): boolean {
  return ledgers.damage().some(({ file, isAccepted }) => !isAccepted && parseLedgerName(file)?.writer === writer);
}

/**
 * Writes a checkpoint of this writer's ledger: what its segments in the repository fold to, read anew. The projection of this
 * computer is a cache, and what went wrong in it must not reach the ledger.
 *
 * @returns false if the segments cannot be read as they were written
 * @throws WrongProjectionError
 */
export async function writeCheckpoint(parts: OwnLedgerParts, signal?: AbortSignal): Promise<boolean> {
  const { storage, projection, seal, writerKey, lockFile } = parts;
  const writer = projection.ledgers.writer(writerKey.id);
  if (!writer) return false;
  using fresh = new ScratchProjection(join(dirname(lockFile), 'fold.sqlite'), seal.repository);
  await readLedgers({ ...parts, projection: fresh.projection }, signal);
  const folded = fresh.projection.ledgers.writer(writer.id);
  if (folded?.hash !== writer.hash || hasDamage(fresh.projection, writer.id)) return false;
  const file = encodeCheckpoint(parts, fresh.projection);
  await storage.put(file.name, [file.bytes], signal);
  projection.ledgers.recordCheckpoint(writer.id, writer.number);
  await requireSame(parts, fresh.projection, signal);
  return true;
}

/** @throws WrongProjectionError */
async function requireSame(parts: OwnLedgerParts, fresh: Projection, signal: AbortSignal | undefined): Promise<void> {
  const { projection, writerKey } = parts;
  const isSame = (): boolean => textOf(factsOf(writerKey.id, projection)) === textOf(factsOf(writerKey.id, fresh));
  if (isSame()) return;
  // Others may have written meanwhile.
  await readLedgers(parts, signal);
  const heads = ({ ledgers }: Projection): string => textOf(ledgers.writers().map(({ id, hash }) => [id, hash]));
  if (heads(projection) === heads(fresh) && !isSame()) throw new WrongProjectionError();
}

function textOf(value: unknown): string {
  return hashOf(encode(value, rfc8949EncodeOptions));
}

/** Encodes what a writer's ledger folds to in a projection. */
export function encodeCheckpoint(
  { seal, clock, writerKey }: Pick<OwnLedgerParts, 'seal' | 'clock' | 'writerKey'>,
  projection: Projection,
): EncodedFile {
  const writer = projection.ledgers.writer(writerKey.id)!;
  const heads = new Map(
    projection.ledgers
      .writers()
      .filter(({ id }) => id !== writer.id)
      .map(({ id, number, hash }) => [id, { number, hash }]),
  );
  const checkpoint = {
    writer: writer.id,
    number: writer.number,
    previous: writer.hash,
    time: clock.now(),
    heads,
    facts: factsOf(writer.id, projection),
  };
  return encodeSegment('checkpoints', checkpoint, seal, writerKey);
}

/** Deletes this writer's segments that an older checkpoint than its newest covers: two checkpoints always stay. */
export async function deleteCoveredSegments(
  parts: OwnLedgerParts,
  listing: LedgerListing,
  signal?: AbortSignal,
): Promise<void> {
  const { storage, writerKey } = parts;
  const checkpoints = (await listLedger(storage, CHECKPOINTS_FOLDER, signal, leaveOut)).get(writerKey.id) ?? [];
  const before = checkpoints.at(-2);
  if (!before) return;
  for (const { name, number } of listing.get(writerKey.id) ?? []) {
    if (number <= before.number) await deleteUnlocked(parts, name, signal);
  }
  for (const { name } of checkpoints.slice(0, -2)) await deleteUnlocked(parts, name, signal);
}

/** Folds the facts of a writer that still matter. */
export function factsOf(writer: string, { database }: Projection): readonly Fact[] {
  const all = <Row>(sql: string): Row[] => database.prepare<[string], Row>(sql).all(writer);
  const facts: Fact[] = all<Omit<FactOf<'device'>, 'kind' | 'key'> & { readonly key: Buffer | null }>(
    'SELECT device, claimed_at AS time, name, os, agent, key FROM writer WHERE id = ?',
  ).map(({ key, ...row }) => Object.assign(row, { kind: 'device' as const }, key && { key }));
  for (const pack of all<Omit<FactOf<'pack'>, 'kind'>>(
    `SELECT hash AS pack, bytes, contents AS "table" FROM pack
     WHERE writer = ? AND NOT EXISTS (SELECT 1 FROM claim WHERE claim.hash = pack.hash) ORDER BY hash`,
  )) {
    facts.push({ kind: 'pack', ...pack });
  }
  for (const { hash: pack, contents: table } of all<{ hash: Buffer; contents: Buffer }>(
    'SELECT hash, contents FROM claim WHERE by_writer = ? ORDER BY hash, contents',
  )) {
    facts.push({ kind: 'pack', pack, bytes: packBytesOf(decodeTable(table)!), table });
  }
  for (const { completed, ...point } of all<Omit<FactOf<'point'>, 'kind' | 'completed'> & { completed: number | null }>(
    `SELECT id, device, set_name AS "set", time, completed, tree, envelope, files, bytes, stored FROM kept_point
     WHERE by_writer = ? ORDER BY time, id, tree, device, set_name`,
  )) {
    facts.push({ kind: 'point', ...point, ...(completed !== null && { completed }) });
  }
  const removed = all<{ id: Buffer }>('SELECT id FROM removed WHERE by_writer = ? ORDER BY id');
  const trees = all<{ tree: Buffer }>('SELECT tree FROM removed_tree WHERE by_writer = ? ORDER BY tree');
  if (removed.length > 0) {
    const points = removed.map(({ id }) => id);
    facts.push({ kind: 'removed', points, ...(trees.length > 0 && { trees: trees.map(({ tree }) => tree) }) });
  }
  for (const { id, pinned, time } of all<{ id: Buffer; pinned: number; time: number }>(
    'SELECT id, pinned, time FROM pin WHERE by_writer = ? ORDER BY id',
  )) {
    facts.push({ kind: pinned === 1 ? 'pin' : 'unpin', point: id, time });
  }
  for (const { policy, ...row } of all<{ device: string; set: string; policy: string | null; time: number }>(
    'SELECT device, set_name AS "set", policy, time FROM policy WHERE by_writer = ? ORDER BY device, set_name',
  )) {
    facts.push({ kind: 'policy', ...row, policy: policy === null ? null : retentionPolicy.parse(JSON.parse(policy)) });
  }
  for (const { device, set, days } of all<{ device: string; set: string; days: number }>(
    'SELECT device, set_name AS "set", days FROM minimum WHERE by_writer = ? ORDER BY device, set_name',
  )) {
    facts.push({ kind: 'minimum', device: device === '' ? null : device, set: set === '' ? null : set, days });
  }
  for (const { reasons, ...alarm } of all<Omit<FactOf<'alarm'>, 'kind' | 'reasons'> & { reasons: string }>(
    'SELECT id, device, set_name AS "set", time, reasons FROM alarm WHERE by_writer = ? ORDER BY id',
  )) {
    facts.push({ kind: 'alarm', ...alarm, reasons: JSON.parse(reasons) as string[] });
  }
  for (const { id, time } of all<{ id: Buffer; time: number }>(
    'SELECT id, time FROM alarm_release WHERE by_writer = ? ORDER BY id',
  )) {
    facts.push({ kind: 'release', alarms: [id], time });
  }
  for (const { hash, time } of all<{ hash: Buffer; time: number }>(
    'SELECT hash, time FROM condemnation WHERE by_writer = ? ORDER BY hash',
  )) {
    facts.push({ kind: 'condemned', packs: [hash], time });
  }
  for (const { device } of all<{ device: string }>('SELECT device FROM retired WHERE by_writer = ? ORDER BY device')) {
    facts.push({ kind: 'retired', device });
  }
  for (const { device, name, time } of all<{ device: string; name: string; time: number }>(
    'SELECT device, name, time FROM device_name WHERE by_writer = ? ORDER BY device',
  )) {
    facts.push({ kind: 'name', device, name, time });
  }
  const deleted = all<{ hash: Buffer }>('SELECT hash FROM deleted_pack WHERE by_writer = ? ORDER BY hash');
  if (deleted.length > 0) facts.push({ kind: 'deleted', packs: deleted.map(({ hash }) => hash) });
  for (const { hash, lost, time } of all<{ hash: Buffer; lost: number; time: number }>(
    'SELECT hash, lost, time FROM lost_pack WHERE by_writer = ? ORDER BY hash',
  )) {
    facts.push({ kind: lost === 1 ? 'lost' : 'found', packs: [hash], time });
  }
  const withdrawn = all<{ id: Buffer }>('SELECT id FROM withdrawn WHERE by_writer = ? ORDER BY id');
  if (withdrawn.length > 0) facts.push({ kind: 'withdrawn', points: withdrawn.map(({ id }) => id) });
  const accepted = all<{ file: string }>('SELECT file FROM accepted_damage WHERE by_writer = ? ORDER BY file');
  if (accepted.length > 0) facts.push({ kind: 'accepted', files: accepted.map(({ file }) => file) });
  return facts;
}
