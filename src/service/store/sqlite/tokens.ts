import type { Database } from 'better-sqlite3';
import type { NewRefreshToken, RefreshOutcome, TokenStore } from '../token-store.ts';

interface TokenRow {
  readonly family_id: string;
  readonly user_id: string;
  readonly expires_at: number;
  readonly spent_at: number | null;
  readonly respent: number;
  readonly revoked_at: number | null;
}

/** How long a count of wrong guesses is remembered after the last one, in milliseconds. */
const ATTEMPT_MEMORY = 24 * 3_600_000;

export function createTokenStore(database: Database): TokenStore {
  const addFamily = database.prepare<[string, string, number]>(
    'INSERT INTO token_family (id, user_id, created_at) VALUES (?, ?, ?)',
  );
  const addToken = database.prepare<[Buffer, string, number, number]>(
    'INSERT INTO refresh_token (hash, family_id, created_at, expires_at) VALUES (?, ?, ?, ?)',
  );
  const liveFamily = database.prepare<[string]>('SELECT 1 FROM token_family WHERE id = ? AND revoked_at IS NULL');
  const revokeFamily = database.prepare<[number, string]>(
    'UPDATE token_family SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL',
  );
  const spend = database.prepare<[string, number]>('INSERT OR IGNORE INTO spent (what, expires_at) VALUES (?, ?)');
  const blocked = database.prepare<[string], number>('SELECT blocked_until FROM attempt WHERE subject = ?').pluck();
  const failures = database.prepare<[string], number>('SELECT failures FROM attempt WHERE subject = ?').pluck();
  const setAttempt = database.prepare<[string, number, number, number]>(
    'INSERT OR REPLACE INTO attempt (subject, failures, blocked_until, updated_at) VALUES (?, ?, ?, ?)',
  );
  const forgetAttempts = database.prepare<[string]>('DELETE FROM attempt WHERE subject = ?');
  const prune = database.transaction((now: number) => {
    database.prepare('DELETE FROM spent WHERE expires_at < ?').run(now);
    database.prepare('DELETE FROM refresh_token WHERE expires_at < ?').run(now);
    database.prepare('DELETE FROM attempt WHERE updated_at < ?').run(now - ATTEMPT_MEMORY);
  });
  const rotate = createRotation(database, (familyId, token, now) =>
    addToken.run(token.hash, familyId, now, token.expiresAt),
  );

  return {
    startFamily: async (family, token, now) =>
      database
        .transaction(() => {
          addFamily.run(family.id, family.userId, now);
          addToken.run(token.hash, family.id, now, token.expiresAt);
        })
        .immediate(),
    rotate: async (...parameters) => rotate.immediate(...parameters),
    familyIsLive: async (id) => liveFamily.get(id) !== undefined,
    revokeFamily: async (id, now) => void revokeFamily.run(now, id),
    spend: async (what, expiresAt) => spend.run(what, expiresAt).changes === 1,
    blockedUntil: async (subject) => blocked.get(subject) ?? 0,
    fail: async (subject, now, delay) =>
      database
        .transaction(() => {
          const count = (failures.get(subject) ?? 0) + 1;
          setAttempt.run(subject, count, now + delay(count), now);
        })
        .immediate(),
    succeed: async (subject) => void forgetAttempts.run(subject),
    prune: async (now) => prune.immediate(now),
  };
}

function createRotation(database: Database, add: (familyId: string, token: NewRefreshToken, now: number) => void) {
  const find = database.prepare<[Buffer], TokenRow>(
    `SELECT t.family_id, f.user_id, t.expires_at, t.spent_at, t.respent, f.revoked_at
     FROM refresh_token t JOIN token_family f ON f.id = t.family_id WHERE t.hash = ?`,
  );
  const spend = database.prepare<[number, Buffer]>('UPDATE refresh_token SET spent_at = ? WHERE hash = ?');
  // The successor that was lost, which nobody else may have found either.
  const respend = database.prepare<[number, string, Buffer]>(
    `UPDATE refresh_token SET spent_at = coalesce(spent_at, ?), respent = 1
     WHERE family_id = ? AND (spent_at IS NULL OR hash = ?)`,
  );
  const spentLater = database.prepare<[string, number]>(
    'SELECT 1 FROM refresh_token WHERE family_id = ? AND spent_at > ?',
  );
  const revoke = database.prepare<[number, string]>('UPDATE token_family SET revoked_at = ? WHERE id = ?');

  return database.transaction(
    (hash: Buffer, successor: NewRefreshToken, now: number, grace: number): RefreshOutcome => {
      const row = find.get(hash);
      if (!row || row.revoked_at !== null || row.expires_at <= now) return { kind: 'refused' };
      if (row.spent_at === null) spend.run(now, hash);
      else if (row.respent === 0 && now - row.spent_at <= grace && !spentLater.get(row.family_id, row.spent_at)) {
        respend.run(now, row.family_id, hash);
      } else {
        revoke.run(now, row.family_id);
        return { kind: 'reused', userId: row.user_id, familyId: row.family_id };
      }
      add(row.family_id, successor, now);
      return { kind: 'renewed', userId: row.user_id, familyId: row.family_id };
    },
  );
}
