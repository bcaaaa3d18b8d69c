import { rowText, RowChecksum, TransferError, EXPORT_VERSION } from './export-format.ts';
import type { ExportHeader } from './export-format.ts';
import type { SourceDatabase } from './transfer-database.ts';
import { MIGRATIONS } from '../../store/schema/migrations.ts';

/** What was moved. */
export interface TransferReport {
  readonly tables: number;
  readonly rows: number;
}

/** The lines of an export, each with its end of line. Throws `TransferError`. */
export async function* exportLines(
  source: SourceDatabase,
  report: (report: TransferReport) => void,
): AsyncGenerator<string> {
  requireNewest(source.steps);
  const header: ExportHeader = { format: 'holdfast-service-export', version: EXPORT_VERSION, steps: [...source.steps] };
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

/** An export holds what this version knows, so the database has to be of this version too. */
export function requireNewest(steps: readonly number[]): void {
  const known = MIGRATIONS.map(({ number }) => number).toSorted((a, b) => a - b);
  if (known.join() === steps.toSorted((a, b) => a - b).join()) return;
  const isNewer = steps.some((step) => !known.includes(step));
  throw new TransferError(
    isNewer
      ? 'the data was written by a newer version of Holdfast'
      : 'the data was written by an older version of Holdfast: start the service of this version on it once',
  );
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
