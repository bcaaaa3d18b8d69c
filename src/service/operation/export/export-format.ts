import { createHash } from 'node:crypto';
import { z } from 'zod';

/** The version of the format that this program writes, and the only one that it reads. */
export const EXPORT_VERSION = 1;

/**
 * An export is JSON, one value a line, compressed with Zstandard: a header; for each table a head, its rows as arrays in the order of
 * the head's columns, and a foot; finally the number of tables. An incomplete export is invalid.
 */
export const exportHeader = z.object({
  format: z.literal('holdfast-service-export'),
  version: z.literal(EXPORT_VERSION),
  /** The version of the schema, which must be the same on both sides. */
  schema: z.int(),
});
export const tableHead = z.object({
  table: z.string(),
  columns: z.array(z.string()).min(1),
  /** The highest number assigned so far to each numbered column, since numbers are never reused. */
  highest: z.record(z.string(), z.int()),
});
export const tableFoot = z.object({ rows: z.int().min(0), checksum: z.string().regex(/^[0-9a-f]{64}$/) });
export const exportEnd = z.object({ tables: z.int().min(0) });

export type ExportHeader = z.infer<typeof exportHeader>;
export type TableHead = z.infer<typeof tableHead>;
export type TableFoot = z.infer<typeof tableFoot>;

/** A column's value, in the types of both databases. */
export type Value = string | number | Buffer | null;
export type Row = readonly Value[];

/** Formats a row as JSON, without an end of line. Bytes are `{"base64": …}`. */
export function rowText(row: Row): string {
  return JSON.stringify(row.map((value) => (Buffer.isBuffer(value) ? { base64: value.toString('base64') } : value)));
}

const rowValue = z.union([
  z.string(),
  z.number(),
  z.null(),
  z.object({ base64: z.base64() }).transform(({ base64 }) => Buffer.from(base64, 'base64')),
]);
const row = z.array(rowValue);

/** @throws ZodError */
export function parseRow(value: unknown): Row {
  return row.parse(value);
}

const MODULUS = 1n << 256n;

/**
 * A checksum over rows in any order, since databases return them in none: the sum of their SHA-256 modulo 2^256. It detects rows that
 * were lost, duplicated or altered by accident.
 */
export class RowChecksum {
  #sum = 0n;
  #rows = 0;

  add(text: string): void {
    this.#sum = (this.#sum + BigInt(`0x${createHash('sha256').update(text).digest('hex')}`)) % MODULUS;
    this.#rows += 1;
  }

  get foot(): TableFoot {
    return { rows: this.#rows, checksum: this.#sum.toString(16).padStart(64, '0') };
  }
}

/** An export or import failed; the message explains why. */
export class TransferError extends Error {
  override readonly name = 'TransferError';
}
