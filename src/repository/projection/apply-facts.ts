import { prepareOnce } from '../../base/prepared-statements.ts';
import type { Fact } from '../../format/repository/facts.ts';
import { decodeTable, packBytesOf } from '../../format/repository/pack-file.ts';
import type { Segment } from '../../format/repository/segment.ts';
import type { ProjectionDatabase } from './schema.ts';
import type { PackTable } from './packs.ts';

/**
 * Applies facts of segments and checkpoints. The result is the same for every order, and a fact that is applied again changes
 * nothing: facts are only added, the larger one wins, or they name what they end.
 */
export class FactApplier {
  readonly #database: ProjectionDatabase;
  readonly #packs: PackTable;

  constructor(database: ProjectionDatabase, packs: PackTable) {
    this.#database = database;
    this.#packs = packs;
  }

  /** @param hash of the segment's file */
  apply(segment: Segment, hash: string): void {
    for (const fact of segment.facts) this.#applyOne(fact, segment, hash);
  }

  #applyOne(fact: Fact, { writer, number }: Segment, hash: string): void {
    switch (fact.kind) {
      case 'device':
        this.#run(
          `UPDATE writer SET device = ?, claimed_at = ?, name = ?, os = ?, agent = ?, key = ?, described_at = ?, described_by = ?
           WHERE id = ? AND (described_at, described_by) <= (?, ?)`,
          [
            fact.device,
            fact.time,
            fact.name,
            fact.os,
            fact.agent,
            fact.key ?? null,
            number,
            hash,
            writer,
            number,
            hash,
          ],
        );
        break;
      case 'name':
        this.#run(
          `INSERT INTO device_name (device, name, time, by_writer) VALUES (?, ?, ?, ?) ON CONFLICT (device) DO UPDATE
           SET name = excluded.name, time = excluded.time, by_writer = excluded.by_writer
           WHERE (excluded.time, excluded.by_writer, excluded.name)
             > (device_name.time, device_name.by_writer, device_name.name)`,
          [fact.device, fact.name, fact.time, writer],
        );
        break;
      case 'pack': {
        const blobs = decodeTable(fact.table);
        // The table says how long the pack is.
        if (blobs && packBytesOf(blobs) === fact.bytes) {
          this.#packs.add({ hash: fact.pack, writer, contents: fact.table }, blobs);
        }
        break;
      }
      case 'point': {
        const { id, device, set, time, completed = null, tree, envelope, files, bytes, stored } = fact;
        this.#run(
          `INSERT INTO point (id, device, set_name, time, completed, number, tree, envelope, files, bytes, stored, by_writer)
           VALUES (?, ?, ?, ?, ?, (SELECT coalesce(max(number), 0) + 1 FROM point), ?, ?, ?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET completed = excluded.completed, envelope = excluded.envelope, files = excluded.files, bytes = excluded.bytes,
             stored = excluded.stored, by_writer = excluded.by_writer
           WHERE (excluded.by_writer, excluded.files, excluded.bytes, excluded.stored, coalesce(excluded.completed, excluded.time),
               coalesce(excluded.envelope, x''))
             < (point.by_writer, point.files, point.bytes, point.stored, coalesce(point.completed, point.time),
               coalesce(point.envelope, x''))`,
          [id, device, set, time, completed, tree, envelope, files, bytes, stored, writer],
        );
        break;
      }
      case 'removed':
        for (const id of fact.points) {
          this.#run('INSERT INTO removed (id, by_writer) VALUES (?, ?) ON CONFLICT DO NOTHING', [id, writer]);
        }
        for (const tree of fact.trees ?? []) {
          this.#run('INSERT INTO removed_tree (tree, by_writer) VALUES (?, ?) ON CONFLICT DO NOTHING', [tree, writer]);
        }
        break;
      case 'pin':
      case 'unpin':
        this.#run(
          `INSERT INTO pin (id, pinned, time, by_writer) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE
           SET pinned = excluded.pinned, time = excluded.time, by_writer = excluded.by_writer
           WHERE (excluded.time, excluded.by_writer, excluded.pinned) > (pin.time, pin.by_writer, pin.pinned)`,
          [fact.point, fact.kind === 'pin' ? 1 : 0, fact.time, writer],
        );
        break;
      case 'policy':
        this.#run(
          `INSERT INTO policy (device, set_name, policy, time, by_writer) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (device, set_name) DO UPDATE
           SET policy = excluded.policy, time = excluded.time, by_writer = excluded.by_writer
           WHERE (excluded.time, excluded.by_writer, coalesce(excluded.policy, ''))
             > (policy.time, policy.by_writer, coalesce(policy.policy, ''))`,
          [fact.device, fact.set, fact.policy && JSON.stringify(fact.policy), fact.time, writer],
        );
        break;
      case 'minimum':
        // It can only be raised.
        this.#run(
          `INSERT INTO minimum (device, set_name, by_writer, days) VALUES (?, ?, ?, ?)
           ON CONFLICT (device, set_name, by_writer) DO UPDATE SET days = max(days, excluded.days)`,
          [fact.device ?? '', fact.set ?? '', writer, fact.days],
        );
        break;
      case 'alarm':
        this.#run(
          `INSERT INTO alarm (id, device, set_name, time, by_writer, reasons) VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT (id) DO UPDATE SET device = excluded.device, set_name = excluded.set_name, time = excluded.time,
             by_writer = excluded.by_writer, reasons = excluded.reasons
           WHERE (excluded.by_writer, excluded.time, excluded.device, excluded.set_name, excluded.reasons)
             < (alarm.by_writer, alarm.time, alarm.device, alarm.set_name, alarm.reasons)`,
          [fact.id, fact.device, fact.set, fact.time, writer, JSON.stringify(fact.reasons)],
        );
        break;
      case 'release':
        for (const id of fact.alarms) {
          this.#run(
            `INSERT INTO alarm_release (id, by_writer, time) VALUES (?, ?, ?)
             ON CONFLICT DO UPDATE SET time = min(time, excluded.time)`,
            [id, writer, fact.time],
          );
        }
        break;
      case 'condemned':
        for (const pack of fact.packs) this.#packs.condemn(pack, { writer, number, time: fact.time });
        break;
      case 'deleted':
        for (const pack of fact.packs) this.#packs.markDeleted(pack, writer);
        break;
      case 'retired':
        this.#run('INSERT INTO retired (device, by_writer) VALUES (?, ?) ON CONFLICT DO NOTHING', [
          fact.device,
          writer,
        ]);
        break;
      case 'lost':
      case 'found':
        for (const pack of fact.packs) {
          this.#packs.markLost(pack, fact.kind === 'lost', { writer, time: fact.time });
        }
        break;
      case 'withdrawn':
        for (const id of fact.points) {
          this.#run('INSERT INTO withdrawn (id, by_writer) VALUES (?, ?) ON CONFLICT DO NOTHING', [id, writer]);
        }
        break;
      case 'accepted':
        for (const file of fact.files) {
          this.#run('INSERT INTO accepted_damage (file, by_writer) VALUES (?, ?) ON CONFLICT DO NOTHING', [
            file,
            writer,
          ]);
        }
        break;
    }
  }

  #run(sql: string, values: readonly unknown[]): void {
    prepareOnce(this.#database, sql).run(...values);
  }
}
