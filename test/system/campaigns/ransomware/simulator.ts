import { join } from 'node:path';
import type { BackupStats } from '../../../../src/protocol/backup.ts';
import { judgeRun } from '../../../../src/rules/ransomware.ts';
import type { WorkerPool } from '../../../../src/workers/pool.ts';
import { CopyWorld, SET, type Place } from '../../copy/copy-world.ts';
import { Random } from '../../../helpers/random.ts';
import type { Attack } from './attacks.ts';
import { edit, worksOf } from './benign-days.ts';
import { Census } from './census.ts';
import { Home } from './home.ts';
import { furnish, PEOPLE, type Person } from './people.ts';

/** What was observed after a run. */
export interface Observation {
  /** Reasons of the repository's alarm; none if it raised none. */
  readonly reasons: readonly string[];
  /** Those of a service whose agent reports nothing. */
  readonly alone: readonly string[];
  /** The agent's numbers, for tuning. */
  readonly stats: BackupStats | undefined;
}

/** When an attack was detected. */
export interface Outcome {
  readonly attack: string;
  readonly person: string;
  /** From 1; `undefined` if it was never detected. */
  readonly day: number | undefined;
  readonly reasons: readonly string[];
  /** The same without the agent's signals. */
  readonly dayAlone: number | undefined;
}

export interface Day extends Observation {
  readonly person: string;
  readonly work: string;
}

/** Days with one home; it changes a lot, so that others begin anew. */
const DAYS_OF_A_HOME = 25;

/** A home with its backups in a repository in memory. */
class Simulation implements AsyncDisposable {
  readonly home: Home;
  readonly #world: CopyWorld;
  readonly #sets: readonly { readonly name: string; readonly folder: string; readonly census: Census }[];
  #place!: Place;
  #stats: BackupStats | undefined;

  private constructor(pool: WorkerPool, random: Random, folders: readonly string[] | undefined) {
    this.#world = new CopyWorld(pool);
    this.home = new Home(this.#world.source, random);
    this.#sets = (folders ?? ['']).map((folder) => ({ name: folder || SET, folder, census: new Census() }));
  }

  static async start(pool: WorkerPool, person: Person, random: Random, sets?: readonly string[]): Promise<Simulation> {
    const simulation = new Simulation(pool, random, sets);
    furnish(simulation.home, person);
    const place = await simulation.#world.repository('repository');
    simulation.#place = { ...place, service: simulation.#listening(place) };
    await simulation.backUp();
    return simulation;
  }

  /** Backs up all sets. Returns what was seen of any of them. */
  async backUp(): Promise<Observation> {
    const { points } = this.#place.repository!.projection;
    const earlier = new Set(points.alarms().map(({ id }) => id.toString('hex')));
    const alone: string[] = [];
    for (const { name, folder, census } of this.#sets) {
      alone.push(...judgeRun(census.take(this.home, folder)).reasons);
      await this.#world.backup(this.#place, { name, roots: [join(this.home.root, folder)] });
    }
    const raised = points.alarms().filter(({ id }) => !earlier.has(id.toString('hex')));
    const reasons = [...new Set(raised.flatMap((alarm) => alarm.reasons))];
    return { reasons, alone: [...new Set(alone)], stats: this.#stats };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#world[Symbol.asyncDispose]();
  }

  /** The place's client, which notes what the agent reports. */
  #listening({ service }: Place): Place['service'] {
    return new Proxy(service, {
      get: (target, key) => {
        const value = Reflect.get(target, key, target) as unknown;
        if (typeof value !== 'function') return value;
        return (...values: readonly unknown[]): unknown => {
          if (key === 'backupComplete') this.#stats = values[1] as BackupStats;
          return Reflect.apply(value, target, values);
        };
      },
    });
  }
}

/** Has one attack act upon one person's home, after a day of work and with work on each day that it takes. */
export async function simulateAttack(pool: WorkerPool, attack: Attack, person: Person, seed: number): Promise<Outcome> {
  await using simulation = await Simulation.start(pool, person, new Random(seed), attack.sets);
  const { home } = simulation;
  edit(home);
  await simulation.backUp();
  let found: { readonly day: number; readonly reasons: readonly string[] } | undefined;
  let dayAlone: number | undefined;
  for (let day = 1; day <= attack.days && !(found && dayAlone !== undefined); day += 1) {
    if (attack.days > 1) edit(home);
    attack.act(home, day - 1);
    const { reasons, alone } = await simulation.backUp();
    if (reasons.length > 0) found ??= { day, reasons };
    if (alone.length > 0) dayAlone ??= day;
  }
  return { attack: attack.name, person: person.name, day: found?.day, reasons: found?.reasons ?? [], dayAlone };
}

/** Yields days of ordinary work, of one person after the other. */
export async function* simulateDays(pool: WorkerPool, days: number, seed: number): AsyncGenerator<Day> {
  for (let done = 0, number = 0; done < days; number += 1) {
    const person = PEOPLE[number % PEOPLE.length]!;
    const random = new Random(seed * 1_000_003 + number);
    await using simulation = await Simulation.start(pool, person, random);
    const { home } = simulation;
    const works = worksOf(home);
    for (let day = 0; day < DAYS_OF_A_HOME && done < days; day += 1, done += 1) {
      const work = random.pick(works);
      work.act(home);
      if (random.chance(0.6)) edit(home);
      yield { person: person.name, work: work.name, ...(await simulation.backUp()) };
    }
  }
}
