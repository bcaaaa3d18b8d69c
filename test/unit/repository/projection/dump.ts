import type { Projection } from '../../../../src/repository/projection/projection.ts';

/** What a projection says, without numbers and times that are its own. */
const QUERIES = {
  writer: 'SELECT id, number, hash, device, claimed_at, name, os, agent FROM writer',
  pack: 'SELECT hash, writer, bytes, contents FROM pack',
  chunk: 'SELECT digest, pack.hash, offset, length, size, kind FROM chunk JOIN pack ON pack.number = chunk.pack',
  condemnation: 'SELECT hash, by_writer, time FROM condemnation',
  claim: 'SELECT hash, contents, by_writer FROM claim',
  lost: 'SELECT * FROM lost_pack',
  deleted: 'SELECT hash, by_writer FROM deleted_pack',
  point: `SELECT id, device, set_name, time, tree, envelope, files, bytes, stored, by_writer FROM point
    WHERE NOT EXISTS (SELECT 1 FROM removed WHERE removed.id = point.id)`,
  removed: 'SELECT id, by_writer FROM removed',
  withdrawn: 'SELECT * FROM withdrawn',
  retired: 'SELECT device, by_writer FROM retired',
  pin: 'SELECT * FROM pin',
  policy: 'SELECT * FROM policy',
  minimum: 'SELECT * FROM minimum',
  alarm: 'SELECT * FROM alarm',
  release: 'SELECT * FROM alarm_release',
};

/** Returns the rows of each table as sorted text. */
export function dumpOf({ database }: Projection): Record<string, readonly string[]> {
  return Object.fromEntries(
    Object.entries(QUERIES).map(([table, sql]) => [
      table,
      database
        .prepare<[], Record<string, unknown>>(sql)
        .all()
        .map((row) =>
          Object.entries(row)
            .map(([column, value]) => `${column}=${Buffer.isBuffer(value) ? value.toString('hex') : String(value)}`)
            .join(' '),
        )
        .toSorted(),
    ]),
  );
}
