import type { Clock } from '../../base/clock.ts';
import type { DamageProblem } from '../../format/repository/damage.ts';
import { packHashIn, packName, PACKS_FOLDER } from '../../format/repository/file-names.ts';
import { packFiles, type PackFile } from '../projection/pack-files.ts';
import { readIfSound } from './read-pack-end.ts';
import type { PackStoreWithProjection } from './confirm-packs.ts';
import { isUnreadableProblem, UnlistedFiles, type OnUnreadable } from '../../storage/unreadable.ts';
import { DAY } from '../../model/units.ts';

export interface ComparedRepository extends PackStoreWithProjection {
  readonly clock: Clock;
  refresh(signal?: AbortSignal): Promise<unknown>;
}

/** Compares the packs with a listing at most once for a client of a repository, whose runs follow each other at once. */
export class PackComparison {
  readonly #repository: ComparedRepository;
  #isDone = false;

  constructor(repository: ComparedRepository) {
    this.#repository = repository;
  }

  /** Compares every time if the store lists at no cost, else at most once a day. */
  async runIfDue(signal?: AbortSignal): Promise<void> {
    const { storage, projection, clock } = this.#repository;
    const isDue = storage.listsAtNoCost === true || projection.maintenance.isDue('compare-packs', clock.now(), DAY);
    if (isDue) await this.run(signal);
  }

  async run(signal?: AbortSignal): Promise<void> {
    if (this.#isDone) return;
    const { projection, clock } = this.#repository;
    await comparePacks(this.#repository, signal);
    projection.maintenance.done('compare-packs', clock.now());
    this.#isDone = true;
  }
}

/**
 * Compares the packs that backups count on with a listing. One that is missing, has another length or is in a folder that cannot be listed is
 * recorded as damaged, so no backup counts on it. One that was found so and is there again with its length and its table counts again.
 */
async function comparePacks(repository: ComparedRepository, signal?: AbortSignal): Promise<void> {
  const { projection, clock } = repository;
  const { packs, ledgers } = projection;
  // Before the listing: a pack that becomes known meanwhile need not be in it.
  const known = packFiles(projection.database);
  if (known.length === 0) return;
  const unlisted = new UnlistedFiles();
  // Without any pack a run would store everything anew, on a disk that shows nothing.
  const onUnreadable: OnUnreadable = (name, problem, error) => {
    if (`${name}/` === PACKS_FOLDER) throw error;
    unlisted.add(name, problem, error);
  };
  let listed = await listedBytes(repository, onUnreadable, signal);
  let wrong = wrongIn(known, listed);
  // A store may list late.
  if (wrong.some(({ isDamaged }) => !isDamaged)) {
    unlisted.problems.clear();
    listed = await listedBytes(repository, onUnreadable, signal);
    wrong = wrongIn(wrong, listed);
  }
  // A collector may have deleted it.
  if (wrong.some(({ isDamaged }) => !isDamaged)) await repository.refresh(signal);
  const wrongNumbers = new Set(wrong.map(({ number }) => number));
  const healed = await healedOf(
    repository,
    known.filter(({ number }) => !wrongNumbers.has(number)),
    signal,
  );
  projection.change(() => {
    for (const { number, hash, isReported, isDamaged } of wrong) {
      const name = hash.toString('hex');
      const isListed = listed.has(name);
      const problem: DamageProblem = isListed ? 'length' : (unlisted.problemOf(packName(name)) ?? 'missing');
      if (!isReported && problem === 'missing') packs.forgetUnreported(hash);
      if (isDamaged || packs.numberOf(hash) === undefined) continue;
      packs.markDamaged(number);
      ledgers.recordDamage(packName(name), problem, clock.now());
    }
    for (const { number, hash } of healed) {
      packs.markDamaged(number, false);
      ledgers.clearDamage(packName(hash.toString('hex')));
    }
  });
}

/** Returns the packs that are recorded as missing, unreadable or of another length although they are there and have their tables. */
async function healedOf(
  repository: ComparedRepository,
  there: readonly PackFile[],
  signal: AbortSignal | undefined,
): Promise<readonly PackFile[]> {
  const { ledgers, packs } = repository.projection;
  const recorded = new Set(ledgers.damage().flatMap(({ file, problem }) => (isOfListing(problem) ? [file] : [])));
  const healed: PackFile[] = [];
  for (const pack of there) {
    const name = pack.hash.toString('hex');
    if (!pack.isDamaged || !recorded.has(packName(name))) continue;
    const end = await readIfSound(repository, name, pack.bytes, signal);
    if (end && packs.find(pack.number)?.contents.equals(end.table) === true) healed.push(pack);
  }
  return healed;
}

function isOfListing(problem: DamageProblem): boolean {
  return problem === 'missing' || problem === 'length' || isUnreadableProblem(problem);
}

function wrongIn(packs: readonly PackFile[], listed: ReadonlyMap<string, number>): readonly PackFile[] {
  return packs.filter(({ hash, bytes }) => listed.get(hash.toString('hex')) !== bytes);
}

/** Lists the lengths of the files of packs, by their hashes. */
export async function listedBytes(
  { storage }: Pick<ComparedRepository, 'storage'>,
  onUnreadable: OnUnreadable,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const listed = new Map<string, number>();
  for await (const batch of storage.list(PACKS_FOLDER, signal, onUnreadable)) {
    for (const { name, bytes } of batch) {
      const hash = packHashIn(name);
      if (hash !== undefined) listed.set(hash, bytes);
    }
  }
  return listed;
}
