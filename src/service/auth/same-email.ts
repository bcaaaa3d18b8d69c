import { type RawBuilder, sql } from 'kysely';
import type { SqlDialect } from '../database/schema/column-types.ts';

/**
 * Compares the column `email` with an address and ignores the case of ASCII letters only, as the unique index on users does.
 * PostgreSQL's locale would fold other letters too.
 */
export function hasEmail(dialect: SqlDialect, email: string): RawBuilder<boolean> {
  if (dialect === 'sqlite') return sql`email = ${email} COLLATE NOCASE`;
  return sql`lower(email COLLATE "C") = lower(${email}::text COLLATE "C")`;
}
