import { Random } from '../../../helpers/random.ts';
import { crashStates } from './crash-states.ts';
import { Disk, type Image, type Operation } from './disk.ts';
import { requireSoundDestination, requireWorkingHome, requireWorkingProgram, type Expectation } from './invariants.ts';
import { Place } from './place.ts';
import { Recording, type Era, type Known } from './recording.ts';

export interface PowerLossOptions {
  readonly seed: number;
  /** The share of parity of the destination, in percent; none by default. */
  readonly parity?: number;
  /** Backups and other commands after the first backup. Without them there is only one computer. */
  readonly commands: number;
  /** Random states for each prefix. */
  readonly random: number;
  /** The share of different states that is tried with a home, and of those that are tried with the program. */
  readonly homes: number;
  readonly programs: number;
  /** Collects failures instead of ending at the first. */
  readonly onFailure?: (message: string) => void;
}

export interface PowerLossResult {
  readonly commands: number;
  readonly operations: number;
  readonly prefixes: number;
  /** States, and how many different ones were tried as destinations, with homes and with the program. */
  readonly states: number;
  readonly destinations: number;
  readonly homes: number;
  readonly programs: number;
  readonly failures: number;
}

/** Records commands, and tries what a power loss after each of their system calls may leave. */
export async function runPowerLoss(options: PowerLossOptions): Promise<PowerLossResult> {
  using place = new Place();
  const recording = new Recording(place, new Random(options.seed), options.parity ?? 0);
  await record(recording, new Random(options.seed + 1_000), options.commands);
  const trial = new Trial(place, recording, options);
  for (const [number, era] of recording.eras.entries()) await trial.run(era, number);
  return trial.result;
}

/** Computers that back up to the same destination, with everything that changes it. */
async function record(recording: Recording, random: Random, commands: number): Promise<void> {
  await recording.setUp('home');
  await recording.addSet('home', 'documents');
  // What a killed process has created is there for the next one, but perhaps not on the disk.
  for (let count = 1 + random.below(3); count > 0; count -= 1) await recording.killBackup('home', 'documents');
  await recording.backUp('home', 'documents');
  if (commands > 0) await recordMore(recording, random, commands);
}

async function recordMore(recording: Recording, random: Random, commands: number): Promise<void> {
  await recording.addSet('home', 'pictures');
  await recording.backUp('home', 'pictures');
  await recording.setUp('other');
  await recording.addSet('other', 'letters');
  await recording.backUp('other', 'letters');
  await recording.perform('home', ['retention', 'set', 'documents', '--hourly', '1']);
  for (let count = 0; count < commands; count += 1) await recordOne(recording, random);
  if (random.chance(0.5)) return;
  await recording.damage(random.pick(['packs', 'ledger', 'keys', 'packs']));
  await recording.repair('home');
  recording.change('documents');
  await recording.backUp('home', 'documents');
}

async function recordOne(recording: Recording, random: Random): Promise<void> {
  const home = random.chance(0.8) ? 'home' : 'other';
  const set = home === 'other' ? 'letters' : random.pick(['documents', 'documents', 'pictures']);
  const action = random.below(100);
  if (action < 45) {
    if (random.chance(0.9)) recording.change(set);
    await recording.backUp(home, set);
  } else if (action < 65) {
    recording.change(set);
    await recording.killBackup(home, set);
  } else if (action < 75) {
    await recording.perform('home', ['retention', 'apply', 'documents', '--yes']);
  } else if (action < 90) {
    // What is condemned can be deleted then, once the others have seen it.
    recording.age(4);
    await recording.backUp('other', 'letters');
    await recording.backUp('home', 'documents');
  } else if (action < 95) {
    await recording.grow('home', 66);
    recording.age(2);
    recording.change('documents');
    await recording.backUp('home', 'documents');
  } else {
    await recording.perform(home, ['check', '--read-data']);
  }
}

class Trial {
  readonly #place: Place;
  readonly #recording: Recording;
  readonly #options: PowerLossOptions;
  readonly #random: Random;
  readonly #seen = { destinations: new Set<string>(), homes: new Set<string>() };
  readonly #count = {
    commands: 0,
    operations: 0,
    prefixes: 0,
    states: 0,
    destinations: 0,
    homes: 0,
    programs: 0,
    failures: 0,
  };

  constructor(place: Place, recording: Recording, options: PowerLossOptions) {
    this.#place = place;
    this.#recording = recording;
    this.#options = options;
    this.#random = new Random(options.seed + 2_000);
  }

  get result(): PowerLossResult {
    return this.#count;
  }

  async run({ log, known, events, commands, isDamaged }: Era, number: number): Promise<void> {
    const disk = new Disk(log.base);
    const { operations } = log;
    this.#count.commands += commands.length;
    this.#count.operations += operations.length;
    for (let prefix = 0; prefix <= operations.length; prefix += 1) {
      while (events[0] && events[0].at <= prefix) events.shift()!.change(known);
      if (this.#isChosen(operations, prefix)) {
        this.#count.prefixes += 1;
        for (const { how, image } of crashStates(disk, this.#random, this.#options.random)) {
          const command = commands.findLast(({ at }) => at <= prefix)?.words ?? 'nothing';
          const where = `era ${number}, after ${prefix} of ${operations.length} operations, in ${command}: ${how}`;
          await this.#try(image, { known, isDamaged }, where);
        }
      }
      const operation = operations[prefix];
      if (operation) disk.add(operation);
    }
  }

  /** The writes of a transaction of SQLite are many, so that only some of them count. */
  #isChosen(operations: readonly Operation[], prefix: number): boolean {
    const last = operations[prefix - 1];
    const next = operations[prefix];
    if (last?.kind !== 'write' || next?.kind !== 'write' || next.node !== last.node) return true;
    return this.#random.chance(0.1);
  }

  async #try(image: Image, { known, isDamaged }: { known: Known; isDamaged: boolean }, where: string): Promise<void> {
    this.#count.states += 1;
    const { phrase, masterKey } = this.#recording;
    const place = this.#place;
    const expectation: Expectation = { place, known, phrase, masterKey, isDamaged };
    const promise = `${[...known.points.keys()].join()} ${known.removed.size} ${[...known.homes.keys()].join()}`;
    const destination = `${image.fingerprint('destination')} ${promise}`;
    const write = (): void => {
      place.emptyRoot();
      image.writeTo(place.root);
      for (const [set, version] of known.sources) place.useVersion(set, version);
    };
    if (isNew(this.#seen.destinations, destination)) {
      write();
      this.#count.destinations += 1;
      await this.#expect(`${where}: a new home`, () => requireSoundDestination(expectation));
    }
    for (const home of ['home', 'other']) {
      const sets = [...(known.homes.get(home)?.sets ?? [])].join();
      const state = `${destination} ${home} ${image.fingerprint(home)} ${sets}`;
      if (!isNew(this.#seen.homes, state) || !this.#random.chance(this.#options.homes)) continue;
      if (home === 'other' && image.find('other') === undefined && !known.homes.has('other')) continue;
      write();
      this.#count.homes += 1;
      await this.#expect(`${where}: ${home}`, () => requireWorkingHome(expectation, home, this.#random.chance(0.1)));
      if (!this.#random.chance(this.#options.programs)) continue;
      write();
      this.#count.programs += 1;
      await this.#expect(`${where}: the program with ${home}`, () => requireWorkingProgram(expectation, home));
    }
  }

  async #expect(where: string, check: () => Promise<void> | void): Promise<void> {
    try {
      await check();
    } catch (cause) {
      this.#count.failures += 1;
      const message = `power loss, seed ${this.#options.seed}, ${where}: ${String(cause)}`;
      if (!this.#options.onFailure) throw new Error(message, { cause });
      this.#options.onFailure(message);
    }
  }
}

function isNew(seen: Set<string>, key: string): boolean {
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}
