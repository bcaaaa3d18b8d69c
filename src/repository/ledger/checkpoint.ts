import { encodeSegment } from '../format/segment.ts';
import type { Fact } from '../format/facts.ts';
import { CHECKPOINTS_FOLDER } from '../format/file-names.ts';
import type { Projection } from '../projection/projection.ts';
import type { OwnLedgerParts } from './append-facts.ts';
import { listLedger, type LedgerListing } from './read-ledgers.ts';

/** Segments after which a device writes a checkpoint. */
const SEGMENTS_PER_CHECKPOINT = 64;

/**
 * Writes a checkpoint of this device's ledger if it has grown by enough segments since the last one. A reader may then start from
 * it. Earlier segments stay until the collector removes them.
 */
export async function writeCheckpointIfDue(
  parts: OwnLedgerParts,
  listing: LedgerListing,
  signal?: AbortSignal,
): Promise<boolean> {
  const files = listing.get(parts.deviceKey.id) ?? [];
  const number = parts.projection.ledgers.device(parts.deviceKey.id)?.number ?? 0;
  // Segments before the last checkpoint but one are deleted, so that a long listing means that one is due.
  if (files.length < SEGMENTS_PER_CHECKPOINT || number % SEGMENTS_PER_CHECKPOINT !== 0) return false;
  await writeCheckpoint(parts, signal);
  return true;
}

/** Writes a checkpoint and deletes the segments that the checkpoint before it covers, where the store allows it. */
export async function writeCheckpoint(parts: OwnLedgerParts, signal?: AbortSignal): Promise<void> {
  const { storage, projection, seal, clock, deviceKey } = parts;
  const device = projection.ledgers.device(deviceKey.id);
  if (!device) return;
  const heads = new Map(
    projection.ledgers
      .devices()
      .filter(({ id }) => id !== device.id)
      .map(({ id, number, hash }) => [id, { number, hash }]),
  );
  const checkpoint = {
    device: device.id,
    number: device.number,
    previous: device.hash,
    time: clock.now(),
    heads,
    facts: factsOf(device.id, projection),
  };
  const file = encodeSegment('checkpoints', checkpoint, seal, deviceKey.privateKey);
  await storage.put(file.name, [file.bytes], signal);
}

/** Deletes this device's segments that an older checkpoint than its newest covers: two checkpoints always stay. */
export async function deleteCoveredSegments(
  parts: OwnLedgerParts,
  listing: LedgerListing,
  signal?: AbortSignal,
): Promise<void> {
  const { storage, deviceKey } = parts;
  const checkpoints = (await listLedger(storage, CHECKPOINTS_FOLDER, signal)).get(deviceKey.id) ?? [];
  const before = checkpoints.at(-2);
  if (!before) return;
  for (const { name, number } of listing.get(deviceKey.id) ?? []) {
    if (number <= before.number) await storage.delete(name, signal);
  }
  for (const { name } of checkpoints.slice(0, -2)) await storage.delete(name, signal);
}

/** Folds the facts of a device that still matter. */
function factsOf(device: string, { database }: Projection): readonly Fact[] {
  const all = <Row>(sql: string, ...values: readonly unknown[]): Row[] =>
    database.prepare<unknown[], Row>(sql).all(...values);
  const facts: Fact[] = [];
  const [row] = all<{ name: string; os: string; agent: string; key: Buffer }>(
    'SELECT name, os, agent, public_key AS "key" FROM device WHERE id = ?',
    device,
  );
  facts.push({ kind: 'device', ...row! });
  for (const pack of all<{ pack: Buffer; bytes: number; table: Buffer }>(
    'SELECT hash AS pack, bytes, contents AS "table" FROM pack WHERE device = ? AND deleted = 0 ORDER BY number',
    device,
  )) {
    facts.push({ kind: 'pack', ...pack });
  }
  for (const point of all<{
    id: Buffer;
    set: string;
    time: number;
    tree: Buffer;
    envelope: Buffer | null;
    files: number;
    bytes: number;
    stored: number;
  }>(
    `SELECT id, set_name AS "set", time, tree, envelope, files, bytes, stored FROM point
     WHERE device = ? AND NOT EXISTS (SELECT 1 FROM removed WHERE removed.id = point.id) ORDER BY time, id`,
    device,
  )) {
    facts.push({ kind: 'point', ...point });
  }
  const removed = all<{ id: Buffer }>('SELECT id FROM removed WHERE by_device = ? ORDER BY id', device);
  if (removed.length > 0) facts.push({ kind: 'removed', points: removed.map(({ id }) => id) });
  for (const { id, pinned } of all<{ id: Buffer; pinned: number }>(
    'SELECT id, pinned FROM pin WHERE by_device = ? ORDER BY id',
    device,
  )) {
    facts.push({ kind: pinned === 1 ? 'pin' : 'unpin', point: id });
  }
  for (const { set_name: set, policy, ...row } of all<{ device: string; set_name: string; policy: string | null }>(
    'SELECT device, set_name, policy FROM policy WHERE by_device = ? ORDER BY device, set_name',
    device,
  )) {
    facts.push({
      kind: 'policy',
      device: row.device,
      set,
      policy: policy === null ? null : (JSON.parse(policy) as never),
    });
  }
  for (const { device: of, set_name: set, days } of all<{ device: string; set_name: string; days: number }>(
    'SELECT device, set_name, days FROM minimum WHERE by_device = ? ORDER BY device, set_name',
    device,
  )) {
    facts.push({ kind: 'minimum', device: of === '' ? null : of, set: set === '' ? null : set, days });
  }
  for (const { reasons, ...alarm } of all<{ device: string; set: string; time: number; reasons: string }>(
    'SELECT device, set_name AS "set", time, reasons FROM alarm WHERE by_device = ? ORDER BY time',
    device,
  )) {
    facts.push({ kind: 'alarm', ...alarm, reasons: JSON.parse(reasons) as string[] });
  }
  const condemned = all<{ hash: Buffer; time: number }>(
    `SELECT pack.hash, max(c.time) AS time FROM condemnation c JOIN pack ON pack.number = c.pack
     WHERE c.by_device = ? AND pack.deleted = 0 GROUP BY pack.hash ORDER BY time, pack.hash`,
    device,
  );
  for (const { hash, time } of condemned) facts.push({ kind: 'condemned', packs: [hash], time });
  for (const { id } of all<{ id: string }>('SELECT id FROM device WHERE retired = 1 ORDER BY id')) {
    facts.push({ kind: 'retired', device: id });
  }
  return facts;
}
