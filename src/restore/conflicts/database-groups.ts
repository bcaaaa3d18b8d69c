import { SIDECARS } from '../../archive/chunk/database/sqlite.ts';
import type { Folder } from '../../os/filesystem/folder.ts';
import type { PlannedEntry } from '../record/planned-entry.ts';
import type { PlanStore } from '../record/plan-store.ts';
import type { RestoreBase } from '../plan/target-names.ts';
import type { TargetLocation } from '../plan/target-layout.ts';
import { companionsAt, companionSuffix, type Companion, laterParts } from './database-companions.ts';
import type { Decision } from './decision.ts';
import { type ExistingComparison, statIfPossible } from './existing-comparison.ts';
import type { NameProblemList } from './name-problems.ts';
import type { Renamed } from './names-beside.ts';
import type { PathChoices } from './request-paths.ts';

interface Input {
  readonly store: PlanStore;
  readonly choices: PathChoices;
  readonly isProven: boolean;
  readonly bases: readonly RestoreBase[];
}

interface GroupDecision extends Decision {
  /** The names of logs of another version that are a conflict, too. */
  readonly stale: readonly string[];
}

/**
 * Keeps databases and their logs together. SQLite would apply a log that is there, of another version, to what is restored: it has
 * to leave, or the database stays as it is or gets another name, with all that is restored with it.
 */
export class DatabaseGroups {
  readonly #input: Input;
  readonly #names: NameProblemList;
  readonly #existing: ExistingComparison;
  /** What happens to databases that stay as they are or get another name, by path. */
  readonly #leading = new Map<string, Renamed>();

  constructor(input: Input, names: NameProblemList, existing: ExistingComparison) {
    this.#input = input;
    this.#names = names;
    this.#existing = existing;
  }

  /** Returns the path of the planned file of which an entry has the name of a log or journal. */
  leaderOf({ type, path }: PlannedEntry): string | undefined {
    const suffix = type === 'file' ? companionSuffix(path) : undefined;
    const leader = suffix === undefined ? undefined : path.slice(0, -suffix.length);
    return leader !== undefined && this.#input.store.findFile(leader) ? leader : undefined;
  }

  /** Decides about the log or journal of a database that stays as it is, or gets another name. */
  async follow(entry: PlannedEntry, location: TargetLocation, folder: Folder): Promise<Renamed | undefined> {
    const leader = this.#leading.size > 0 ? this.leaderOf(entry) : undefined;
    const leading = leader === undefined ? undefined : this.#leading.get(leader);
    if (!leading) return undefined;
    if (leading.action === 'skip') return { action: 'skip', name: location.name };
    const name = leading.name + companionSuffix(entry.path)!;
    this.#names.claim(location.folder, name, entry.type);
    const path = folder.pathOf(name);
    const stat = statIfPossible(path);
    const isDone = stat !== undefined && (await this.#existing.isComplete(entry, stat, path));
    return { action: isDone ? 'done' : 'rename', name };
  }

  /** Notes the name that a database gets. */
  lead({ path }: PlannedEntry, renamed: Renamed): Renamed {
    if (this.#leading.has(path)) this.#leading.set(path, renamed);
    return renamed;
  }

  /** Decides about a file that is, or that takes the place of, a database. @param decided about it alone */
  decide(entry: PlannedEntry, folder: Folder | undefined, name: string, decided: Decision): GroupDecision {
    const there = folder && entry.type === 'file' ? companionsAt(folder, name) : undefined;
    if (!there) return this.#decideFolder(entry, folder, decided);
    const stale = there
      .map(({ suffix }) => suffix)
      .filter((suffix) => !this.#input.store.findFile(entry.path + suffix));
    const together = this.#decideTogether(entry, { there, stale, name }, decided);
    const { action } = together;
    if (action === 'skip' || action === 'rename') this.#leading.set(entry.path, { action, name });
    const isMet = (action !== 'skip' || decided.action === 'create') && action !== 'rename' && action !== 'blocked';
    return { ...together, stale: isMet ? stale.map((suffix) => name + suffix) : [] };
  }

  /** Decides about the file that makes a folder a database of LevelDB or RocksDB. */
  #decideFolder(entry: PlannedEntry, folder: Folder | undefined, decided: Decision): GroupDecision {
    const { store, choices, isProven, bases } = this.#input;
    // What is restored by itself has no folder of its own.
    const isAlone = bases.some(({ path }) => path === entry.path);
    const stale = folder && !isAlone ? laterParts(entry, folder, store) : [];
    const isFree = decided.action === 'create';
    if (stale.length === 0 || decided.action === 'blocked') return { ...decided, stale: [] };
    switch (choices.of(entry.path)) {
      case undefined:
        return { ...decided, stale };
      case 'overwrite':
        if (!isProven) return isFree ? { action: 'unproven', conflict: true, stale: [] } : { ...decided, stale: [] };
        for (const name of stale) store.found.addCompanion(entry.id, name);
        return { ...decided, stale };
      // With these logs it would be another database.
      case 'skip':
        return { ...(isFree ? { action: 'skip', conflict: true } : decided), stale: [] };
      case 'keep-both':
        return { ...(isFree ? { action: 'rename', conflict: true } : decided), stale: [] };
    }
  }

  #decideTogether(
    entry: PlannedEntry,
    {
      there,
      stale,
      name,
    }: { readonly there: readonly Companion[]; readonly stale: readonly string[]; readonly name: string },
    decided: Decision,
  ): Decision {
    const { store, choices, isProven } = this.#input;
    const choice = choices.of(entry.path);
    const isFree = decided.action === 'create';
    if (choice === 'overwrite') {
      if (!isProven) return isFree && stale.length > 0 ? { action: 'unproven', conflict: true } : decided;
      if (decided.action !== 'blocked') for (const suffix of stale) store.found.addCompanion(entry.id, name + suffix);
      return decided;
    }
    if (decided.action === 'done') return decided;
    if (choice === 'keep-both') {
      const isAlone = isFree ? there.length === 0 : this.#hasSameCompanions(entry, there);
      return isAlone ? decided : { action: 'rename', conflict: true };
    }
    return isFree && there.length > 0 ? { action: 'skip', conflict: stale.length === 0 } : decided;
  }

  /** Returns whether a database has the logs beside it that would be restored with it, as far as size and time tell. */
  #hasSameCompanions({ path }: PlannedEntry, there: readonly Companion[]): boolean {
    return SIDECARS.every((suffix) => {
      const planned = this.#input.store.findFile(path + suffix);
      const found = there.find((one) => one.suffix === suffix);
      return planned?.size === found?.size && planned?.modified === found?.modified;
    });
  }
}
