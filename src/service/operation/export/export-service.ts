import { rowText, RowChecksum, TransferError, EXPORT_VERSION } from './export-format.ts';
import type { ExportHeader } from './export-format.ts';
import type { SourceDatabase } from './transfer-database.ts';
import { SCHEMA_VERSION } from '../../database/schema/schema.ts';

/** The size of an export. */
export interface TransferReport {
  readonly tables: number;
  readonly rows: number;
}

/** Generates the lines of an export, each with its end of line. @throws TransferError */
export async function* exportLines(
  source: SourceDatabase,
  report: (report: TransferReport) => void,
): AsyncGenerator<string> {
  requireCurrentSchema(source.schema);
  const header: ExportHeader = { format: 'holdfast-service-export', version: EXPORT_VERSION, schema: source.schema };
  yield line(header);
  let rows = 0;
  for (const head of source.tables) {
    yield line(head);
    const checksum = new RowChecksum();
    for await (const batch of source.rows(head)) {
      const texts = batch.map(rowText);
      for (const text of texts) checksum.add(text);
      yield texts.map((text) => `${text}\n`).join('');
    }
    yield line(checksum.foot);
    rows += checksum.foot.rows;
  }
  yield line({ tables: source.tables.length });
  report({ tables: source.tables.length, rows });
}

/** @throws TransferError if the data was written by another version */
export function requireCurrentSchema(version: number): void {
  if (version === SCHEMA_VERSION) return;
  throw new TransferError(
    version === 0 ? 'there is no service in this database' : 'the data was written by a newer version of Holdfast',
  );
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
