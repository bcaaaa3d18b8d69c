import { pluckOnce, prepareOnce } from '../../base/prepared-statements.ts';
import { digestsIn } from '../../format/repository/joined-digests.ts';
import type { ProjectionDatabase } from './schema.ts';

/** Packs that no segment names and that no decision of a collector or a repair explains. What is in them may count all the same. */
const IS_UNNAMED = `NOT EXISTS (SELECT 1 FROM pack p WHERE p.hash = u.hash AND p.writer IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM unfinished_pack f WHERE f.hash = u.hash)
  AND NOT EXISTS (SELECT 1 FROM deleted_pack d WHERE d.hash = u.hash)
  AND NOT EXISTS (SELECT 1 FROM lost_pack l WHERE l.hash = u.hash AND l.lost = 1)`;

/** Packs that lie in the store and that no segment names: of a backup that runs or was killed, or of one whose segment is lost. */
export class UnnamedPacks {
  readonly #database: ProjectionDatabase;

  constructor(database: ProjectionDatabase) {
    this.#database = database;
  }

  /** Takes a listing of all packs. @param listed hashes in hex */
  list(listed: ReadonlySet<string>): void {
    const named = new Set(pluckOnce<[], string>(this.#database, 'SELECT lower(hex(hash)) FROM pack').all());
    const known = pluckOnce<[], string>(this.#database, 'SELECT lower(hex(hash)) FROM unnamed_pack').all();
    const gone = known.filter((hash) => !listed.has(hash));
    const found = [...listed].filter((hash) => !named.has(hash));
    if (gone.length === 0 && found.length === 0) return;
    this.#database.transaction(() => {
      const remove = prepareOnce(this.#database, 'DELETE FROM unnamed_pack WHERE hash = ?');
      for (const hash of gone) remove.run(Buffer.from(hash, 'hex'));
      const insert = prepareOnce(
        this.#database,
        `INSERT INTO unnamed_pack (hash) SELECT u.hash FROM (SELECT ? AS hash) u WHERE ${IS_UNNAMED} ON CONFLICT DO NOTHING`,
      );
      for (const hash of found) insert.run(Buffer.from(hash, 'hex'));
    })();
  }

  /** Hashes of those that this computer has not read yet. */
  unread(): readonly Buffer[] {
    return pluckOnce<[], Buffer>(
      this.#database,
      `SELECT hash FROM unnamed_pack u WHERE trees IS NULL AND ${IS_UNNAMED} ORDER BY hash`,
    ).all();
  }

  /** @param trees digests of the footers in the pack */
  recordTrees(hash: Uint8Array, trees: readonly Uint8Array[]): void {
    prepareOnce(this.#database, 'UPDATE unnamed_pack SET trees = ? WHERE hash = ?').run(Buffer.concat(trees), hash);
  }

  /** Digests of the footers in packs that still no segment names. */
  trees(): readonly Buffer[] {
    const rows = pluckOnce<[], Buffer>(
      this.#database,
      `SELECT trees FROM unnamed_pack u WHERE length(trees) > 0 AND ${IS_UNNAMED}`,
    ).all();
    const trees = new Map<string, Buffer>();
    for (const row of rows) for (const tree of digestsIn(row)) trees.set(tree.toString('hex'), tree);
    return [...trees.values()];
  }
}
