import Database from 'better-sqlite3';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PlanStore } from '../../../../src/restore/record/plan-store.ts';
import { sealedRow, type RecordedChanges } from '../../../../src/restore/record/recorded-changes.ts';
import { RestoreRecord, type NewRestore, type RecordPlace } from '../../../../src/restore/record/restore-record.ts';

interface Recorded {
  /** An existing folder for the plan. */
  readonly scratch: string;
  readonly place: RecordPlace;
  readonly fill: (into: RecordedChanges) => void;
  readonly endedAt: number;
  /** False for a restore that can be continued. */
  readonly isComplete: boolean;
}

/** Records a restore that has ended, and changes nothing else. @returns whether it continues another */
export function recordRestore(restore: NewRestore, { scratch, place, fill, endedAt, isComplete }: Recorded): boolean {
  using store = new PlanStore(scratch);
  const record = RestoreRecord.open(store.database, place, restore);
  fill(record.changes);
  record.begin();
  record.end(endedAt);
  record[Symbol.dispose]();
  if (isComplete) record.complete();
  return record.journal.resumed;
}

/** The only record of a folder, or the first of them. */
function recordIn(records: string): string {
  return join(
    records,
    readdirSync(records).find((name) => name.endsWith('.sqlite'))!,
  );
}

/** Changes a record with the key of its home. */
export function changeSealed({ folder, seal }: RecordPlace, sql: string, values: readonly unknown[]): void {
  const file = recordIn(folder);
  const database = new Database(file);
  database.prepare(sql).run(...values);
  const rows = database.prepare<[], { readonly id: number; readonly location: string }>('SELECT * FROM change').all();
  for (const row of rows) {
    database.prepare('UPDATE change SET mac = ? WHERE id = ?').run(seal.of(sealedRow(file, row as never)), row.id);
  }
  database.close();
}
