import { isWithin } from '../../model/entry-path.ts';
import { bytesOfSegment } from '../../os/filesystem/names/entry-path.ts';
import { isSafeName } from '../../os/filesystem/names/entry-name.ts';
import type { PlannedEntry } from '../record/planned-entry.ts';
import type { PlanStore } from '../record/plan-store.ts';
import type { TargetLocation } from '../plan/target-layout.ts';
import { keyOfName, type NameRules } from './name-rules.ts';

/** An entry whose name the target's file system does not take, or takes for that of another entry. */
export interface NameProblem {
  /** Entry path. */
  readonly path: string;
  readonly kind: 'invalid' | 'too-long' | 'same-name';
  /** `merged`: a folder is restored into the folder of the other spelling. */
  readonly becomes: 'not-restored' | 'beside' | 'merged';
  /** The name that it gets beside. */
  readonly as?: string;
}

export interface NameProblems {
  /** The first of them. */
  readonly named: readonly NameProblem[];
  readonly total: number;
  /** Files that are not restored for it, also those inside of such folders. */
  readonly filesNotRestored: number;
  readonly bytesNotRestored: number;
}

/** Problems that are named. */
const MAX_NAMED = 1000;

/** Collects the names of a plan that the target's file system cannot hold. */
export class NameProblemList {
  readonly #store: PlanStore;
  readonly #rules: NameRules;
  readonly #named: NameProblem[] = [];
  #total = 0;
  #filesNotRestored = 0;
  #bytesNotRestored = 0;
  /** The folder that cannot be made, while the entries inside of it come. */
  #lostFolder: string | undefined;

  constructor(store: PlanStore, rules: NameRules) {
    this.#store = store;
    this.#rules = rules;
  }

  get found(): NameProblems {
    const [total, filesNotRestored, bytesNotRestored] = [this.#total, this.#filesNotRestored, this.#bytesNotRestored];
    return { named: this.#named, total, filesNotRestored, bytesNotRestored };
  }

  /** Whether several spellings are one name here. */
  get folds(): boolean {
    return this.#rules.foldsCase || this.#rules.foldsForms;
  }

  /**
   * Returns whether the entry cannot have its name here, or is inside of a folder that cannot. To be called in path order.
   *
   * @param confirm asks the folder itself whether the name is too long: another file system may be mounted there
   */
  takeUnwritable(entry: PlannedEntry, { name }: TargetLocation, confirm: () => boolean): boolean {
    // The root of a whole disk is the target folder itself.
    if (name === '') return false;
    const isInside = this.#lostFolder !== undefined && isWithin(entry.path, this.#lostFolder);
    const kind = !isSafeName(name) ? 'invalid' : this.#isTooLong(name) && confirm() ? 'too-long' : undefined;
    if (!isInside && kind === undefined) return false;
    if (!isInside) {
      this.#lostFolder = entry.type === 'directory' ? entry.path : undefined;
      this.add({ path: entry.path, kind: kind!, becomes: 'not-restored' });
    }
    if (entry.type === 'file') {
      this.#filesNotRestored += 1;
      this.#bytesNotRestored += entry.size;
    }
    return true;
  }

  /** Claims a name for one entry; returns the entry type that has it already. */
  claim(folder: readonly string[], name: string, type: PlannedEntry['type']): PlannedEntry['type'] | undefined {
    return this.folds
      ? this.#store.found.claimSpelling(keyOfName([...folder, name].join('/'), this.#rules), type)
      : undefined;
  }

  add(problem: NameProblem): void {
    this.#total += 1;
    if (this.#named.length < MAX_NAMED) this.#named.push(problem);
  }

  #isTooLong(name: string): boolean {
    return name.length * 3 > this.#rules.longestName && bytesOfSegment(name).length > this.#rules.longestName;
  }
}
