import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { retentionPolicy } from '../../../../src/protocol/retention.ts';
import type { Fact } from '../../../../src/format/repository/facts.ts';
import { hashOf, parseLedgerName } from '../../../../src/format/repository/file-names.ts';
import { encodeTable } from '../../../../src/format/repository/pack-file.ts';
import { decodeSegment, type LedgerHead, type Segment } from '../../../../src/format/repository/segment.ts';
import { newWriterKey, type WriterKey } from '../../../../src/format/repository/writer-key.ts';
import { encodeCheckpoint } from '../../../../src/repository/ledger/checkpoint.ts';
import { Projection } from '../../../../src/repository/projection/projection.ts';
import { Random } from '../../../helpers/random.ts';
import { dumpOf } from '../../../unit/repository/projection/dump.ts';
import { epochKeys } from '../../../helpers/epoch-keys.ts';

/** `HOLDFAST_ORDERS=200 npx vitest run test/system/repository/projection/order.test.ts` tries more. */
const SEEDS = Array.from({ length: Number(process.env['HOLDFAST_ORDERS'] ?? 6) }, (_, seed) => seed);

const REPOSITORY = '0'.repeat(32);
const seal = { keys: epochKeys(Buffer.alloc(32, 7)), repository: REPOSITORY };

let folder: string;
let files = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-order-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function newProjection(): Projection {
  files += 1;
  const projection = new Projection(join(folder, `${files}.sqlite`), REPOSITORY);
  projection.database.pragma('synchronous = OFF');
  return projection;
}

interface Applied {
  readonly segment: Segment;
  readonly hash: string;
}

/** What facts are about. */
interface Names {
  readonly packs: readonly Buffer[];
  /** Ids that several writers use. */
  readonly ids: readonly Buffer[];
}

/** A writer with its own view of the others. */
class Writer {
  readonly key: WriterKey = newWriterKey();
  readonly view = newProjection();
  readonly segments: Applied[] = [];
  readonly checkpoints: Segment[] = [];
  /** Other segments of the same numbers: of a copy of this writer, or of one that lies. */
  readonly forks: Applied[] = [];
  readonly read = new Map<Writer, number>();
  readonly #random: Random;
  readonly #clock: number;
  readonly #device: string;

  constructor(random: Random, devices: readonly string[]) {
    this.#random = random;
    // Wrong by up to ten years.
    this.#clock = Date.parse('2026-11-22') + (random.next() - 0.5) * 20 * 365 * 86_400_000;
    this.#device = random.pick(devices);
  }

  get id(): string {
    return this.key.id;
  }

  /** Reads some of what others have appended. */
  readOthers(writers: readonly Writer[]): void {
    for (const other of writers) {
      if (other === this || this.#random.chance(0.5)) continue;
      const from = this.read.get(other) ?? 0;
      const to = from + this.#random.below(other.segments.length - from + 1);
      for (const { segment, hash } of other.segments.slice(from, to)) this.view.applySegment(segment, hash, 1);
      this.read.set(other, to);
    }
  }

  /** Writes a second segment of the newest number. */
  fork({ packs, ids }: Names): void {
    const newest = this.segments.at(-1);
    if (!newest) return;
    const facts = [this.#description('fork'), this.#fact({ packs, ids }), this.#fact({ packs, ids })];
    const hash = hashOf(this.#random.bytes(32));
    this.forks.push({ segment: { ...newest.segment, facts }, hash });
  }

  append(names: Names): void {
    const heads = new Map<string, LedgerHead>();
    for (const [other, count] of this.read) {
      if (count > 0) heads.set(other.id, { number: count, hash: other.segments[count - 1]!.hash });
    }
    const number = this.segments.length + 1;
    const facts: Fact[] = number === 1 ? [this.#description('1')] : [];
    for (let count = this.#random.below(5); count > 0; count -= 1) facts.push(this.#fact(names));
    const segment = {
      writer: this.id,
      number,
      previous: this.segments.at(-1)?.hash,
      time: Math.floor(this.#clock + number),
      heads,
      facts,
    };
    const hash = hashOf(Buffer.from(this.id + String(number)));
    this.segments.push({ segment, hash });
    this.view.applySegment(segment, hash, 1);
  }

  checkpoint(): void {
    const clock = { now: () => Math.floor(this.#clock) + 1_000, sleep: () => Promise.resolve() };
    const { name, bytes } = encodeCheckpoint({ seal, clock, writerKey: this.key }, this.view);
    this.checkpoints.push(decodeSegment(parseLedgerName(name)!, bytes, seal));
  }

  #description(agent: string): Fact {
    const { ledgers } = this.view;
    const claims = ledgers.writers().filter(({ device }) => device === this.#device);
    const time = Math.max(Math.floor(this.#clock), ...claims.map(({ claimedAt }) => claimedAt + 1));
    return { kind: 'device', device: this.#device, time, name: 'n', os: 'o', agent };
  }

  #fact({ packs, ids }: Names): Fact {
    const random = this.#random;
    const { points } = this.view;
    const now = Math.floor(this.#clock) + random.below(100);
    const set = random.pick(['s', 't']);
    const device = this.#device;
    const all = points.all();
    const point = all.length > 0 ? random.pick(all).id : random.bytes(16);
    const pack = random.pick(packs);
    const alarms = points.alarms().map(({ id }) => id);
    switch (random.below(16)) {
      case 0:
        return this.#description(String(random.below(5)));
      case 1:
      case 2: {
        // One that lies states another chunk.
        const digest = Buffer.alloc(32, pack[0]! + (random.chance(0.3) ? 100 : 0));
        const table = encodeTable([{ digest, length: 10, size: 5, kind: 'data' }]);
        return { kind: 'pack', pack, bytes: 91, table };
      }
      case 3:
      case 4: {
        // Ids are random unless somebody lies.
        const isCopied = random.chance(0.5);
        const id = isCopied ? random.pick(ids) : random.bytes(16);
        const tree = isCopied ? Buffer.alloc(32, random.below(2)) : random.bytes(32);
        const counts = { files: random.below(2), bytes: 2, stored: 3 };
        const envelope = random.chance(0.5) ? null : Buffer.alloc(32, random.below(2));
        return {
          kind: 'point',
          id,
          device,
          set: isCopied ? 's' : set,
          time: isCopied ? 0 : now,
          tree,
          envelope,
          ...counts,
        };
      }
      case 5:
        return { kind: 'removed', points: [point] };
      case 6:
        return { kind: random.chance(0.5) ? 'pin' : 'unpin', point, time: points.pinTime(point, now) };
      case 7: {
        const policy = random.chance(0.3) ? null : retentionPolicy.parse({ keep_all_days: 1 + random.below(9) });
        return { kind: 'policy', device, set, policy, time: points.policyTime({ device, set }, now) };
      }
      case 8:
        return { kind: 'minimum', device: null, set: null, days: random.below(100) };
      case 9:
        return {
          kind: 'alarm',
          id: random.chance(0.5) ? random.pick(ids) : random.bytes(16),
          device,
          set,
          time: now,
          reasons: ['mass_rewrite'],
        };
      case 10:
        return { kind: 'release', alarms, time: now };
      case 11:
        return random.chance(0.5)
          ? { kind: 'condemned', packs: [pack], time: now }
          : { kind: 'deleted', packs: [pack] };
      case 12:
        return { kind: 'lost', packs: [pack], time: random.below(6) };
      case 13:
        return { kind: 'found', packs: [pack], time: random.below(6) };
      case 14:
        return { kind: 'withdrawn', points: [point] };
      default:
        return { kind: 'retired', device };
    }
  }
}

function ledgersOf(random: Random): readonly Writer[] {
  const devices = Array.from({ length: 3 }, () => random.bytes(16).toString('hex'));
  const packs = Array.from({ length: 6 }, (_, index) => Buffer.concat([Buffer.alloc(1, index), random.bytes(31)]));
  const ids = Array.from({ length: 2 }, () => random.bytes(16));
  const writers = Array.from({ length: 3 + random.below(3) }, () => new Writer(random, devices));
  for (let step = 0; step < 40; step += 1) {
    const writer = random.pick(writers);
    writer.readOthers(writers);
    writer.append({ packs, ids });
    if (random.chance(0.2)) writer.fork({ packs, ids });
    if (random.chance(0.15)) writer.checkpoint();
  }
  return writers;
}

/** Applies everything in a random order, with repetitions, and returns the dump. */
function foldOf(writers: readonly Writer[], random: Random, order: 'written' | 'any' | 'checkpoints' | 'forks') {
  using projection = newProjection();
  const steps = writers.flatMap(({ segments: chain, checkpoints, forks }) => {
    const segments = order === 'forks' ? [...chain, ...forks] : chain;
    const checkpoint = order === 'checkpoints' && checkpoints.length > 0 ? random.pick(checkpoints) : undefined;
    // A reader leaves out what a checkpoint covers, or had read some of it before.
    const known = random.below((checkpoint?.number ?? 0) + 1);
    const rest = segments.filter(({ segment: { number } }) => number <= known || number > (checkpoint?.number ?? 0));
    const applied = rest.map(
      ({ segment, hash }) =>
        () =>
          projection.applySegment(segment, hash, 1),
    );
    return checkpoint ? [...applied, () => projection.applyCheckpoint(checkpoint)] : applied;
  });
  const ordered = order === 'written' ? steps : random.shuffled(steps);
  for (const step of ordered) step();
  if (order !== 'written') for (const step of ordered.slice(0, 10)) step();
  return dumpOf(projection);
}

describe('the projection', () => {
  test.each(SEEDS)('is the same in every order, in parts and from checkpoints, whoever lies (seed %i)', (seed) => {
    const random = new Random(seed);
    const writers = ledgersOf(random);
    const expected = foldOf(writers, random, 'written');
    for (let round = 0; round < 2; round += 1) {
      expect(foldOf(writers, random, 'any')).toEqual(expected);
      expect(foldOf(writers, random, 'checkpoints')).toEqual(expected);
    }
    const withForks = foldOf(writers, random, 'forks');
    for (let round = 0; round < 3; round += 1) expect(foldOf(writers, random, 'forks')).toEqual(withForks);
    for (const { view } of writers) view[Symbol.dispose]();
  });
});
