import type { z } from 'zod';
import {
  exportEnd,
  exportHeader,
  parseRow,
  RowChecksum,
  rowText,
  tableFoot,
  tableHead,
  TransferError,
} from './export-format.ts';
import type { Row, TableFoot, TableHead } from './export-format.ts';
import { requireCurrentSchema } from './export-service.ts';
import type { TransferReport } from './export-service.ts';
import { BATCH, FIRST_TABLES } from './transfer-database.ts';
import type { TargetDatabase } from './transfer-database.ts';

interface ImportedTable {
  readonly head: TableHead;
  readonly foot: TableFoot;
}

/**
 * Fills an empty database with the lines of an export. Every table's checksum is verified twice, as its rows are read and as the
 * database returns them, before anything is committed.
 *
 * @throws TransferError; the database then stays empty
 */
export async function importLines(lines: AsyncIterable<string>, target: TargetDatabase): Promise<TransferReport> {
  const reader = new LineReader(lines);
  requireCurrentSchema((await reader.next(exportHeader)).schema);
  await requireEmpty(target);
  await target.clear();
  const imported: ImportedTable[] = [];
  for (;;) {
    const next = await reader.nextJson();
    const end = exportEnd.safeParse(next);
    if (end.success) {
      if (end.data.tables !== imported.length) throw damaged('a table is missing');
      break;
    }
    imported.push(await importTable(parsed(next, tableHead), reader, target));
  }
  const missing = target.tables.find(({ table }) => !imported.some(({ head }) => head.table === table));
  if (missing) throw damaged(`the table ${missing.table} is missing`);
  for (const { head, foot } of imported) await verify(head, foot, target);
  await target.commit(imported.map(({ head }) => head));
  return { tables: imported.length, rows: imported.reduce((sum, { foot }) => sum + foot.rows, 0) };
}

async function importTable(head: TableHead, reader: LineReader, target: TargetDatabase): Promise<ImportedTable> {
  const known = target.tables.find(({ table }) => table === head.table);
  if (known?.columns.join() !== head.columns.join()) throw damaged(`the table ${head.table} is not as it should be`);
  const checksum = new RowChecksum();
  let batch: Row[] = [];
  for (;;) {
    const next = await reader.nextJson();
    if (!Array.isArray(next)) {
      await target.insert(head, batch);
      const foot = parsed(next, tableFoot);
      requireSame(head, foot, checksum.foot);
      return { head, foot };
    }
    const row = rowOf(next, head);
    checksum.add(rowText(row));
    batch.push(row);
    if (batch.length < BATCH) continue;
    await target.insert(head, batch);
    batch = [];
  }
}

async function verify(head: TableHead, foot: TableFoot, target: TargetDatabase): Promise<void> {
  const checksum = new RowChecksum();
  for await (const batch of target.rows(head)) for (const row of batch) checksum.add(rowText(row));
  const { rows, checksum: sum } = checksum.foot;
  if (rows === foot.rows && sum === foot.checksum) return;
  throw new TransferError(`the table ${head.table} does not come back from the database as it was written`);
}

async function requireEmpty(target: TargetDatabase): Promise<void> {
  for (const head of target.tables.filter(({ table }) => FIRST_TABLES.includes(table))) {
    for await (const batch of target.rows(head)) {
      if (batch.length > 0)
        throw new TransferError('there is something in the database already: import into an empty one');
    }
  }
}

function requireSame({ table }: TableHead, expected: TableFoot, found: TableFoot): void {
  if (expected.rows !== found.rows)
    throw damaged(`the table ${table} has ${found.rows} rows instead of ${expected.rows}`);
  if (expected.checksum !== found.checksum) throw damaged(`the checksum of the table ${table} is wrong`);
}

function rowOf(value: unknown, { table, columns }: TableHead): Row {
  try {
    const row = parseRow(value);
    if (row.length === columns.length) return row;
  } catch {
    // The error is thrown below.
  }
  throw damaged(`a row of the table ${table} cannot be read`);
}

class LineReader {
  readonly #lines: AsyncIterator<string>;

  constructor(lines: AsyncIterable<string>) {
    this.#lines = lines[Symbol.asyncIterator]();
  }

  async nextJson(): Promise<unknown> {
    const next = await this.#lines.next();
    if (next.done === true) throw damaged('it ends too early');
    try {
      return JSON.parse(next.value);
    } catch {
      throw damaged('a line is not JSON');
    }
  }

  async next<Schema extends z.ZodType>(schema: Schema): Promise<z.infer<Schema>> {
    return parsed(await this.nextJson(), schema);
  }
}

function parsed<Schema extends z.ZodType>(value: unknown, schema: Schema): z.infer<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw damaged('it is no export of a service, or of another version');
}

function damaged(reason: string): TransferError {
  return new TransferError(`the export cannot be used: ${reason}`);
}
