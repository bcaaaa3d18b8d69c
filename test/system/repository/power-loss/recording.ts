import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { masterKeyOf } from '../../../../src/format/crypto/recovery-phrase.ts';
import type { Random } from '../../../helpers/random.ts';
import type { Image } from './disk.ts';
import { grow, pointsIn, type FoundPoint } from './in-process.ts';
import { OperationLog } from './operation-log.ts';
import { differences, type Place } from './place.ts';

const DAY = 86_400_000;

/** What has been promised at a moment. */
export interface Known {
  readonly homes: Map<string, { readonly sets: Set<string> }>;
  /** Restore points that have to be there, by id. */
  readonly points: Map<string, FoundPoint>;
  /** Restore points that must not come back. */
  readonly removed: Set<string>;
  /** Versions of the sources. */
  readonly sources: Map<string, number>;
}

export interface Event {
  /** The number of operations after which it has happened. */
  readonly at: number;
  readonly change: (known: Known) => void;
}

/** Operations without a break: what is there at the beginning is on the disk. */
export interface Era {
  readonly log: OperationLog;
  readonly known: Known;
  readonly events: Event[];
  /** Commands with the number of operations before them. */
  readonly commands: { readonly at: number; readonly words: string }[];
  /** True if the destination was damaged on purpose. */
  readonly isDamaged: boolean;
}

/** Runs commands and records what they do to the destination and the homes. */
export class Recording {
  readonly eras: Era[] = [];
  readonly #place: Place;
  readonly #random: Random;
  /** The share of parity of the destination, in percent. */
  readonly #parity: number;
  #phrase = '';
  #era: Era;
  #known: Known = { homes: new Map(), points: new Map(), removed: new Set(), sources: new Map() };

  constructor(place: Place, random: Random, parity: number) {
    this.#place = place;
    this.#parity = parity;
    this.#random = random;
    this.#era = this.#newEra(false);
  }

  get phrase(): string {
    return this.#phrase;
  }

  get masterKey(): Uint8Array {
    return masterKeyOf(this.#phrase);
  }

  /** The first one makes the destination, the others join it. */
  async setUp(home: string): Promise<void> {
    const words = ['setup', '--destination', this.#place.destination, '--device-name', home, '--print-json'];
    const file = this.#place.path('phrase');
    if (this.#phrase !== '') {
      writeFileSync(file, this.#phrase);
      words.push('--recovery-phrase-file', file);
    } else if (this.#parity > 0) words.push('--parity', String(this.#parity));
    const { stdout } = await this.#command(home, words, (known) => known.homes.set(home, { sets: new Set() }));
    this.#phrase ||= (JSON.parse(stdout) as { recovery_phrase: string }).recovery_phrase;
    await this.#learn();
  }

  async addSet(home: string, set: string): Promise<void> {
    this.change(set);
    const words = ['set', 'add', set, this.#place.source(set), '--json'];
    await this.#command(home, words, (known) => known.homes.get(home)?.sets.add(set));
  }

  /** Changes a set's source: a file is added, one is changed and one is removed. */
  change(set: string): void {
    const random = this.#random;
    const number = this.#place.newVersion(set);
    const folder = join(this.#place.source(set), `folder-${random.below(3)}`);
    mkdirSync(folder, { recursive: true });
    for (let count = number === 1 ? 4 : 1; count > 0; count -= 1) {
      writeFileSync(
        join(folder, `file-${number}-${count}`),
        random.bytes(random.below(random.chance(0.2) ? 9_000 : 900)),
      );
    }
    const files = readdirSync(folder);
    writeFileSync(join(folder, random.pick(files)), random.bytes(1 + random.below(900)));
    if (files.length > 3) rmSync(join(folder, random.pick(files)));
    this.#happens((known) => known.sources.set(set, number));
  }

  async backUp(home: string, set: string): Promise<void> {
    const before = new Set(this.#known.points.keys());
    const { stdout, printedAt } = await this.#command(home, ['backup', set, '--json']);
    await this.#learn(printedAt);
    const { backup_id: id } = JSON.parse(stdout) as { backup_id: string };
    assert(!before.has(id) && this.#known.points.has(id), 'a backup ended without its restore point');
  }

  /** A backup that is killed between two calls. The system still has all that it wrote, on the disk or not. */
  async killBackup(home: string, set: string): Promise<void> {
    const random = this.#random;
    const { log } = this.#era;
    const { at } = await this.#command(home, ['backup', set, '--json']);
    const indices = log.operations.keys().filter((index) => index >= at && log.operations[index]!.kind !== 'write');
    const all = [...indices];
    // Most operations are of databases. The ones that matter most are those that create folders.
    const folders = all.filter((index) => {
      const operation = log.operations[index]!;
      return operation.kind === 'name' && log.now.isFolder.has(operation.node);
    });
    log.cut(random.pick(folders.length > 0 && random.chance(0.5) ? folders : all) + 1);
    this.#place.emptyRoot();
    log.now.writeTo(this.#place.root);
    await this.#learn();
  }

  /** Any other command. */
  async perform(home: string, words: readonly string[]): Promise<void> {
    await this.#command(home, [...words, '--json']);
    await this.#learn();
  }

  /** What is lost for good makes a repair end with 1. */
  async repair(home: string): Promise<void> {
    await this.#command(home, ['repair', '--json'], undefined, [0, 1]);
    await this.#learn();
  }

  /** Makes the homes and the destination older. What was recorded before is then on the disk. */
  age(days: number): void {
    for (const name of readdirSync(this.#place.root, { recursive: true }).map(String)) {
      const path = join(this.#place.root, name);
      if (name.endsWith('projection.sqlite')) makeChoresOlder(path, days * DAY);
      if (!name.startsWith('destination/')) continue;
      const { mtimeMs } = statSync(path);
      utimesSync(path, (mtimeMs - days * DAY) / 1000, (mtimeMs - days * DAY) / 1000);
    }
    this.#era = this.#newEra(this.#era.isDamaged);
  }

  /** Appends segments, until checkpoints are due. */
  async grow(home: string, segments: number): Promise<void> {
    await grow(this.#place.home(home), segments);
    this.#era = this.#newEra(this.#era.isDamaged);
  }

  /** Damages a file of the destination. Restore points that need it are no longer expected. */
  async damage(folder: string): Promise<void> {
    const files = readdirSync(join(this.#place.destination, folder), { recursive: true, withFileTypes: true });
    const file = this.#random.pick(files.filter((entry) => entry.isFile()));
    const path = join(file.parentPath, file.name);
    writeFileSync(path, this.#random.bytes(statSync(path).size));
    const readable = await this.#points();
    for (const id of this.#known.points.keys()) if (!readable.has(id)) this.#known.points.delete(id);
    this.#era = this.#newEra(true);
  }

  #newEra(isDamaged: boolean): Era {
    const { homes, points, removed, sources } = this.#known;
    const known = {
      homes: new Map([...homes].map(([name, { sets }]) => [name, { sets: new Set(sets) }])),
      points: new Map(points),
      removed: new Set(removed),
      sources: new Map(sources),
    };
    const era = { log: new OperationLog(this.#place.root), known, events: [], commands: [], isDamaged };
    this.eras.push(era);
    return era;
  }

  #happens(change: (known: Known) => void, at = this.#era.log.operations.length): void {
    change(this.#known);
    this.#era.events.push({ at, change });
  }

  async #command(
    home: string,
    words: readonly string[],
    onPrinted?: (known: Known) => void,
    expected: readonly number[] = [0],
  ) {
    const { log, commands } = this.#era;
    const at = log.operations.length;
    commands.push({ at, words: words.join(' ') });
    const result = this.#place.record(this.#place.home(home), words);
    assert(expected.includes(result.status ?? -1), `${words.join(' ')}: ${result.stdout}${result.stderr}`);
    log.append(result.calls);
    assert.equal(this.#differences(log.now), '', 'the recorded calls lead to other files than those that are there');
    const printed = log.operations.findLastIndex(({ kind }, index) => index >= at && kind === 'printed');
    const printedAt = printed < 0 ? log.operations.length : printed + 1;
    if (onPrinted) this.#happens(onPrinted, printedAt);
    return { ...result, at, printedAt };
  }

  /** Compares a state with the files that are there, by diff. */
  #differences(image: Image): string {
    const copy = this.#place.path('copy');
    mkdirSync(copy);
    image.writeTo(copy);
    const found = differences(copy, this.#place.root);
    rmSync(copy, { recursive: true });
    return found;
  }

  #points(): Promise<ReadonlyMap<string, FoundPoint>> {
    return pointsIn(this.#place.destination, this.masterKey, this.#place.path('reader'));
  }

  /** Finds out which restore points the last command has made and removed. */
  async #learn(printedAt = this.#era.log.operations.length): Promise<void> {
    const found = await this.#points();
    const begun = this.#era.commands.at(-1)!.at;
    for (const id of this.#known.points.keys()) {
      if (found.has(id)) continue;
      this.#happens((known) => known.points.delete(id), begun);
      this.#happens((known) => known.removed.add(id), printedAt);
    }
    for (const [id, point] of found) {
      if (!this.#known.points.has(id)) this.#happens((known) => known.points.set(id, point), printedAt);
    }
    // They happened in the order of their operations.
    this.#era.events.sort((one, other) => one.at - other.at);
  }
}

/** Moves the times of a projection's maintenance into the past. */
export function makeChoresOlder(file: string, milliseconds: number): void {
  const database = new Database(file);
  database.prepare('UPDATE maintenance SET time = time - ?').run(milliseconds);
  database.close();
}
