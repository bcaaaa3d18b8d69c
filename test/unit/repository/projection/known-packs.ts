import { randomBytes } from 'node:crypto';
import { decodeTable, encodeTable } from '../../../../src/format/repository/pack-file.ts';
import { PackTable } from '../../../../src/repository/projection/packs.ts';
import { openProjectionDatabase } from '../../../../src/repository/projection/database.ts';
import type { ProjectionDatabase } from '../../../../src/repository/projection/schema.ts';

export interface KnownPack {
  readonly hash: Buffer;
  readonly number: number;
}

/** A projection in memory of which a test adds the packs. */
export class KnownPacks implements Disposable {
  readonly database: ProjectionDatabase = openProjectionDatabase(':memory:', 'ab'.repeat(16));
  readonly table = new PackTable(this.database);

  /** Adds a pack that this computer wrote, with these chunks. */
  add(digests: readonly Buffer[]): KnownPack {
    const hash = randomBytes(32);
    const contents = encodeTable(digests.map((digest) => ({ digest, length: 40, size: 12, kind: 'data' as const })));
    this.table.add({ hash, writer: undefined, contents }, decodeTable(contents)!);
    return { hash, number: this.table.numberOf(hash)! };
  }

  markContested({ hash }: KnownPack): void {
    this.database.prepare('UPDATE pack SET contested = 1 WHERE hash = ?').run(hash);
  }

  [Symbol.dispose](): void {
    this.database.close();
  }
}
