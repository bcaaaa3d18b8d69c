import BetterSqlite from 'better-sqlite3';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { postgresSchemaVersion } from '../../database/schema/postgres-schema.ts';
import { SCHEMA_VERSION } from '../../database/schema/schema.ts';
import { sqliteSchemaVersion } from '../../database/schema/sqlite-schema.ts';
import { postgresPlace } from '../../database/postgres/postgres-place.ts';
import { placeOfStore } from '../../database/store-directory.ts';
import { nameOfPlace, PLACE_SECRET } from '../copy/copy-state.ts';
import { METADATA_FILE } from '../../database/sqlite/sqlite-connection.ts';
import { failed, inTime, ok, reasonOf, warning } from './finding.ts';
import type { Finding } from './finding.ts';

const PATIENCE = 15_000;

/** The oldest supported PostgreSQL (NULLS NOT DISTINCT). */
const OLDEST_POSTGRES = 15;

export interface DatabaseCheck {
  readonly findings: readonly Finding[];
  /** Lead of the database's clock over ours, in milliseconds; `undefined` if it is the same clock. */
  readonly skew?: number;
  /** True if the data were first served elsewhere, and nobody has taken over. */
  readonly isCopy?: boolean;
}

/** Checks the database in a service's folder. Changes nothing. */
export async function checkSqlite(data: string): Promise<DatabaseCheck> {
  const file = join(data, METADATA_FILE);
  if (!existsSync(file)) return { findings: [ok('database', 'SQLite; the service will make it.')] };
  try {
    const database = new BetterSqlite(file, { readonly: true, fileMustExist: true });
    try {
      const version = sqliteSchemaVersion(database);
      const findings = [schemaFinding('SQLite', version)];
      if (version !== SCHEMA_VERSION) return { findings };
      const served = database.prepare<[string], Buffer>(SERVED_PLACE('?')).pluck().get(PLACE_SECRET);
      return { findings, isCopy: isElsewhere(served, await placeOfStore(data)) };
    } finally {
      database.close();
    }
  } catch (error) {
    return { findings: [failed('database', `${file} cannot be read (${reasonOf(error)}).`)] };
  }
}

const SERVED_PLACE = (parameter: string): string => `SELECT value FROM secret WHERE name = ${parameter}`;

/** Checks a PostgreSQL database. Changes nothing. @param url with credentials */
export async function checkPostgres(url: string): Promise<DatabaseCheck> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: PATIENCE,
    application_name: 'holdfast check',
  });
  // The waiting query reports a broken connection.
  client.on('error', () => undefined);
  const where = `PostgreSQL at ${placeOf(url)}`;
  try {
    return await inTime(ask(client, where), 2 * PATIENCE);
  } catch (error) {
    return { findings: [failed('database', `${where} ${refusalOf(error)}.`)] };
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function ask(client: Client, where: string): Promise<DatabaseCheck> {
  await client.connect();
  const before = Date.now();
  const answer = await client.query<Facts>(FACTS);
  const after = Date.now();
  const facts = answer.rows[0]!;
  const major = Math.floor(facts.version / 10_000);
  const skew = Number(facts.now) - (before + after) / 2;
  if (major < OLDEST_POSTGRES) {
    return {
      findings: [failed('database', `${where} is version ${major}; ${OLDEST_POSTGRES} or newer is needed.`)],
      skew,
    };
  }
  const missing = (await client.query<MissingRight>(MISSING_RIGHTS)).rows;
  if (missing.length > 0) return { findings: [failed('database', rightsMessage(where, missing))], skew };
  const schema = await postgresSchemaVersion(client);
  if (!facts.may_create && schema === 0) {
    return {
      findings: [failed('database', `${where}: the user may not make tables, and some have to be made.`)],
      skew,
    };
  }
  const findings = [schemaFinding(`${where}, version ${major}`, schema)];
  if (facts.encoding !== 'UTF8')
    findings.push(failed('database', `${where} has the encoding ${facts.encoding}; make it with UTF8.`));
  if (facts.read_only === 'on') findings.push(failed('database', `${where} is read-only: a standby, perhaps.`));
  if (facts.synchronous === 'off') {
    findings.push(
      warning('database', `${where}: synchronous_commit is off, so a power cut may undo finished backups.`),
    );
  }
  if (schema !== SCHEMA_VERSION) return { findings, skew };
  const served = (await client.query<{ value: Buffer }>(SERVED_PLACE('$1'), [PLACE_SECRET])).rows[0]?.value;
  return { findings, skew, isCopy: isElsewhere(served, await postgresPlace(client)) };
}

/** Data that were never served are no copy. */
function isElsewhere(served: Buffer | undefined, place: string): boolean {
  return served !== undefined && !served.equals(nameOfPlace(place));
}

interface Facts {
  readonly version: number;
  readonly now: string;
  readonly may_create: boolean;
  readonly encoding: string;
  readonly read_only: string;
  readonly synchronous: string;
}

const FACTS = `
SELECT current_setting('server_version_num')::int AS version,
  (extract(epoch FROM clock_timestamp()) * 1000)::bigint::text AS now,
  has_schema_privilege(current_schema(), 'CREATE') AS may_create,
  current_setting('server_encoding') AS encoding,
  current_setting('transaction_read_only') AS read_only,
  current_setting('synchronous_commit') AS synchronous`;

interface MissingRight {
  readonly name: string;
  readonly rights: string;
}

/** Returns the missing rights of the service's user on its tables and sequences. */
const MISSING_RIGHTS = `
SELECT relname AS name, string_agg(need, ', ' ORDER BY need) AS rights
FROM pg_class, LATERAL (
  SELECT need FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS need
  WHERE relkind IN ('r', 'p') AND NOT has_table_privilege(pg_class.oid, need)
  UNION ALL SELECT 'USAGE' WHERE relkind = 'S' AND NOT has_sequence_privilege(pg_class.oid, 'USAGE')
) AS lacking
WHERE relnamespace = current_schema()::regnamespace AND to_regclass('schema_version') IS NOT NULL
GROUP BY relname ORDER BY relname`;

/** Maximum number of named tables. */
const NAMED = 3;

function rightsMessage(where: string, missing: readonly MissingRight[]): string {
  const named = missing.slice(0, NAMED).map(({ name, rights }) => `${rights} on ${name}`);
  const more = missing.length > NAMED ? `, and on ${missing.length - NAMED} more` : '';
  return `${where}: the user lacks rights: ${named.join('; ')}${more}. GRANT them, or let the user own the tables.`;
}

function schemaFinding(what: string, version: number): Finding {
  if (version === 0) return ok('database', `${what}; the service will make its tables.`);
  if (version === SCHEMA_VERSION) return ok('database', `${what}, with the newest tables.`);
  return failed('database', `${what} was written by a newer version of Holdfast.`);
}

/** Returns the URL without user, password and parameters. */
function placeOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host === '' ? 'this computer' : host}${pathname}`;
}

function refusalOf(error: unknown): string {
  const code = reasonOf(error);
  if (code === '28P01' || code === '28000') return `refuses user or password (${code})`;
  if (code === '3D000') return 'has no such database (3D000)';
  if (code === '42501') return 'does not give its user the rights that the service needs (42501)';
  return `cannot be reached (${code})`;
}
