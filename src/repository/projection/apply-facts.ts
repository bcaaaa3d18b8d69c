import type Database from 'better-sqlite3';
import type { Fact } from '../format/facts.ts';
import { decodeTable } from '../format/pack-file.ts';
import type { Segment } from '../format/segment.ts';
import type { ProjectionDatabase } from './database.ts';
import type { PackTable } from './packs.ts';

/**
 * Applies facts of segments and checkpoints. The result is the same for every order that respects causality: a segment comes
 * after those that it states as heads.
 */
export class FactApplier {
  readonly #database: ProjectionDatabase;
  readonly #packs: PackTable;
  readonly #statements = new Map<string, Database.Statement>();

  constructor(database: ProjectionDatabase, packs: PackTable) {
    this.#database = database;
    this.#packs = packs;
  }

  apply(segment: Segment): void {
    for (const fact of segment.facts) this.#applyOne(fact, segment);
  }

  #applyOne(fact: Fact, { device, number, time, heads }: Segment): void {
    switch (fact.kind) {
      case 'device':
        this.#run('UPDATE device SET name = ?, os = ?, agent = ?, public_key = ? WHERE id = ?', [
          fact.name,
          fact.os,
          fact.agent,
          fact.key,
          device,
        ]);
        break;
      case 'pack': {
        const blobs = decodeTable(fact.table);
        if (blobs) this.#packs.add({ hash: fact.pack, device, bytes: fact.bytes, contents: fact.table }, blobs);
        break;
      }
      case 'point':
        this.#run(
          `INSERT INTO point (id, device, set_name, time, number, tree, envelope, files, bytes, stored)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
          [fact.id, device, fact.set, fact.time, number, fact.tree, fact.envelope, fact.files, fact.bytes, fact.stored],
        );
        break;
      case 'removed':
        for (const id of fact.points) {
          this.#run('INSERT INTO removed (id, by_device) VALUES (?, ?) ON CONFLICT DO NOTHING', [id, device]);
        }
        break;
      case 'pin':
      case 'unpin':
        this.#run(
          `INSERT INTO pin (id, pinned, time, by_device) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE
           SET pinned = excluded.pinned, time = excluded.time, by_device = excluded.by_device
           WHERE (excluded.time, excluded.by_device) >= (pin.time, pin.by_device)`,
          [fact.point, fact.kind === 'pin' ? 1 : 0, time, device],
        );
        break;
      case 'policy':
        this.#run(
          `INSERT INTO policy (device, set_name, policy, time, by_device) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (device, set_name) DO UPDATE
           SET policy = excluded.policy, time = excluded.time, by_device = excluded.by_device
           WHERE (excluded.time, excluded.by_device) >= (policy.time, policy.by_device)`,
          [fact.device, fact.set, fact.policy && JSON.stringify(fact.policy), time, device],
        );
        break;
      case 'minimum':
        // It can only be raised.
        this.#run(
          `INSERT INTO minimum (device, set_name, by_device, days) VALUES (?, ?, ?, ?)
           ON CONFLICT (device, set_name, by_device) DO UPDATE SET days = max(days, excluded.days)`,
          [fact.device ?? '', fact.set ?? '', device, fact.days],
        );
        break;
      case 'alarm':
        this.#run(
          `INSERT INTO alarm (device, set_name, time, by_device, by_number, reasons) VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT DO NOTHING`,
          [fact.device, fact.set, fact.time, device, number, JSON.stringify(fact.reasons)],
        );
        break;
      case 'release':
        this.#release(device, number, fact.time, heads);
        break;
      case 'condemned':
        for (const hash of fact.packs) this.#packs.condemn(hash, { device, number, time: fact.time });
        break;
      case 'reinstated':
        for (const hash of fact.packs) this.#packs.reinstate(hash, device, number, heads);
        break;
      case 'deleted':
        for (const hash of fact.packs) this.#packs.markDeleted(hash);
        break;
      case 'retired':
        this.#run('UPDATE device SET retired = 1 WHERE id = ?', [fact.device]);
        break;
    }
  }

  /** Ends the alarms that the releasing device had read. */
  #release(device: string, number: number, time: number, heads: Segment['heads']): void {
    this.#run('INSERT INTO alarm_release (by_device, by_number, time) VALUES (?, ?, ?) ON CONFLICT DO NOTHING', [
      device,
      number,
      time,
    ]);
    const known = new Map([...heads].map(([id, head]) => [id, head.number]));
    known.set(device, number);
    for (const [id, upTo] of known) {
      this.#run('DELETE FROM alarm WHERE by_device = ? AND by_number <= ?', [id, upTo]);
    }
  }

  #run(sql: string, values: readonly unknown[]): void {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    statement.run(...values);
  }
}
