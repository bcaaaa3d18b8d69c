import type { ProjectionDatabase } from './schema.ts';

/** The file that a pack should have. */
export interface PackFile {
  readonly number: number;
  readonly hash: Buffer;
  readonly bytes: number;
  /** False if no segment names it yet. */
  readonly isReported: boolean;
  readonly isDamaged: boolean;
}

interface PackFileRow {
  readonly number: number;
  readonly hash: Buffer;
  readonly bytes: number;
  readonly reported: number;
  readonly damaged: number;
}

/** Returns the hashes of the packs that restore points may need: neither condemned nor lost. */
export function neededPacks(database: ProjectionDatabase): readonly Buffer[] {
  return database
    .prepare<[], Buffer>(
      `SELECT hash FROM pack WHERE lost = 0
         AND NOT EXISTS (SELECT 1 FROM condemnation WHERE condemnation.hash = pack.hash) ORDER BY number`,
    )
    .pluck()
    .all();
}

/** Returns the files of all packs that were seen and are not lost, without their tables. */
export function packFiles(database: ProjectionDatabase): readonly PackFile[] {
  return database
    .prepare<[], PackFileRow>(
      `SELECT number, hash, bytes, writer IS NOT NULL AS reported, damaged FROM pack
       WHERE lost = 0 AND (seen = 1 OR damaged = 1) ORDER BY number`,
    )
    .all()
    .map(({ reported, damaged, ...row }) =>
      Object.assign(row, { isReported: reported === 1, isDamaged: damaged === 1 }),
    );
}
