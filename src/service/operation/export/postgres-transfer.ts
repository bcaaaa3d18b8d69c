import { Client, Pool, types } from 'pg';
import { createPostgresSchema, postgresSchemaVersion } from '../../database/schema/postgres-schema.ts';
import type { Row, TableHead } from './export-format.ts';
import { BATCH, serviceTables } from './transfer-database.ts';
import type { SourceDatabase, TargetDatabase } from './transfer-database.ts';

interface Constraint {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/** Opens a service's database for reading, as of this moment; running services may keep writing. */
export async function openPostgresSource(url: string): Promise<SourceDatabase> {
  return open(url, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
}

/** Creates the tables first if there are none. */
export async function openPostgresTarget(url: string): Promise<TargetDatabase> {
  const pool = new Pool({ connectionString: url, max: 1 });
  try {
    await createPostgresSchema(pool);
  } finally {
    await pool.end();
  }
  const target = await open(url, 'BEGIN');
  await target.dropReferences();
  return target;
}

async function open(url: string, begin: string): Promise<PostgresTransfer> {
  const client = new Client({
    connectionString: url,
    application_name: 'holdfast transfer',
    // The service's integers fit into a number.
    types: {
      getTypeParser: (oid, format) =>
        oid === types.builtins.INT8 ? Number : (types.getTypeParser(oid, format) as never),
    },
  });
  // A broken connection fails the query that uses it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(begin);
    return new PostgresTransfer(client, await postgresSchemaVersion(client), await headsOf(client));
  } catch (error) {
    await client.end();
    throw error;
  }
}

class PostgresTransfer implements TargetDatabase {
  readonly schema: number;
  readonly tables: readonly TableHead[];
  readonly #client: Client;
  #references: readonly Constraint[] = [];

  constructor(client: Client, schema: number, tables: readonly TableHead[]) {
    this.#client = client;
    this.schema = schema;
    this.tables = tables;
  }

  async *rows({ table, columns }: TableHead): AsyncIterable<readonly Row[]> {
    const names = columns.map(quoted).join(', ');
    await this.#client.query(`DECLARE transfer NO SCROLL CURSOR FOR SELECT ${names} FROM ${quoted(table)}`);
    for (;;) {
      const { rows } = await this.#client.query<Row & unknown[]>({
        text: `FETCH ${BATCH} FROM transfer`,
        rowMode: 'array',
      });
      if (rows.length === 0) break;
      yield rows;
    }
    await this.#client.query('CLOSE transfer');
  }

  async clear(): Promise<void> {
    for (const { table } of this.tables) await this.#client.query(`DELETE FROM ${quoted(table)}`);
  }

  async insert({ table, columns }: TableHead, rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    const names = columns.map(quoted).join(', ');
    let place = 0;
    const values = rows.map((row) => `(${row.map(() => `$${(place += 1)}`).join(', ')})`).join(', ');
    await this.#client.query(`INSERT INTO ${quoted(table)} (${names}) VALUES ${values}`, rows.flat());
  }

  /** Drops foreign keys until `commit`, since rows may arrive before those that they refer to. */
  async dropReferences(): Promise<void> {
    const found = await this.#client.query<Constraint>(REFERENCES, [serviceTables()]);
    this.#references = found.rows;
    for (const { table, name } of found.rows) {
      await this.#client.query(`ALTER TABLE ${quoted(table)} DROP CONSTRAINT ${quoted(name)}`);
    }
  }

  async commit(tables: readonly TableHead[]): Promise<void> {
    for (const { table, name, definition } of this.#references) {
      await this.#client.query(`ALTER TABLE ${quoted(table)} ADD CONSTRAINT ${quoted(name)} ${definition}`);
    }
    const exported = new Map(tables.map(({ table, highest }) => [table, highest]));
    for (const { table, highest } of this.tables) {
      for (const column of Object.keys(highest)) {
        const highestExported = exported.get(table)?.[column] ?? 0;
        await this.#client.query(
          `SELECT setval(pg_get_serial_sequence($1, $2), greatest($3::bigint, coalesce(max(${quoted(column)}), 0), 1),
             greatest($3::bigint, coalesce(max(${quoted(column)}), 0)) > 0) FROM ${quoted(table)}`,
          [quoted(table), column, highestExported],
        );
      }
    }
    // Runs have their own sequence.
    await this.#client.query(
      `SELECT setval('run_sequence', greatest(coalesce(max(sequence), 0), 1), coalesce(max(sequence), 0) > 0) FROM session`,
    );
    await this.#client.query('COMMIT');
  }

  async close(): Promise<void> {
    await this.#client.end();
  }
}

const REFERENCES = `
SELECT c.relname AS "table", k.conname AS name, pg_get_constraintdef(k.oid) AS definition
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
WHERE k.contype = 'f' AND k.connamespace = current_schema()::regnamespace AND c.relname = ANY ($1)
ORDER BY c.relname, k.conname`;

async function headsOf(client: Client): Promise<readonly TableHead[]> {
  const { rows } = await client.query<{ table_name: string; column_name: string; is_identity: string }>(
    `
    SELECT table_name, column_name, is_identity FROM information_schema.columns
    JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND table_name = ANY ($1)
    ORDER BY table_name`,
    [serviceTables()],
  );
  const heads: TableHead[] = [];
  for (const [table, columns = []] of Map.groupBy(rows, (column) => column.table_name)) {
    const highest: Record<string, number> = {};
    for (const { column_name: column } of columns.filter((one) => one.is_identity === 'YES')) {
      highest[column] = await highestOf(client, table, column);
    }
    heads.push({ table, columns: columns.map((column) => column.column_name).toSorted(), highest });
  }
  return heads;
}

async function highestOf(client: Client, table: string, column: string): Promise<number> {
  const sequence = await client.query<{ name: string }>('SELECT pg_get_serial_sequence($1, $2) AS name', [
    quoted(table),
    column,
  ]);
  const { rows } = await client.query<{ last: number }>(
    `SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS last FROM ${sequence.rows[0]!.name}`,
  );
  return rows[0]!.last;
}

function quoted(name: string): string {
  return `"${name}"`;
}
