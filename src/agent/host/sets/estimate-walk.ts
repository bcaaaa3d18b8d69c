import type { BigIntStats } from 'node:fs';
import { Exclusion } from '../../../archive/scan/exclusion.ts';
import type { Rule } from '../../../archive/scan/rules.ts';
import { Places } from '../../../archive/scan/places.ts';
import { Scanner } from '../../../archive/scan/scanner.ts';
import type { ScanCatalog } from '../../../archive/scan/types.ts';
import { checkRoot, realSourceOf, type RootState } from '../../../archive/scan/source-check.ts';
import { isHoldfastError } from '../../../base/errors/errors.ts';
import type { Estimate } from '../../../ipc/contract/sets.ts';

/** The set to estimate. Can be sent to a thread. */
export interface EstimateRequest {
  /** Entry paths. */
  readonly roots: readonly string[];
  readonly excludes: readonly string[];
  readonly presets: readonly string[];
  readonly oneFileSystem: boolean;
  /** Entry paths that backups skip. */
  readonly ownFolders: readonly string[];
}

const MOST_EXAMPLES = 20;
/** Entries of excluded folders that one step counts. */
const COUNTED_PER_STEP = 256;
const MOST_UNREADABLE = 100;

/** Entries that backups always skip are not reported as unreadable. */
const EXPECTED_WARNINGS: ReadonlySet<string> = new Set(['special-file', 'vanished']);

/** Knows no entries and stores none. */
const EMPTY_CATALOG: ScanCatalog = {
  children: () => [],
  chunksOf: () => undefined,
  newDirectory: () => undefined,
  put: () => undefined,
  remove: () => undefined,
};

/** Estimates a set with the scanner that backups use, and counts what its rules exclude. */
export class EstimateWalk implements Disposable {
  readonly #scanner: Scanner;
  readonly #exclusion: CountingExclusion;
  readonly #unreadableRoots: string[] = [];
  #isScanned = false;

  constructor(request: EstimateRequest) {
    const { roots, excludes, presets, oneFileSystem, ownFolders } = request;
    this.#exclusion = new CountingExclusion(excludes, presets, ownFolders);
    const real = new Map(roots.flatMap((root) => this.#realOf(root)));
    const places = new Places(real);
    const options = { exclusion: this.#exclusion, oneFileSystem, rehash: false, accepts: () => true, places };
    this.#scanner = new Scanner(EMPTY_CATALOG, options);
    this.#scanner.addRoots(
      undefined,
      [...real].flatMap((root) => this.#check(root, places)),
    );
  }

  /** Works for some milliseconds. Returns whether there is more to do. */
  step(): boolean {
    // Excluded entries are counted at the same time, so that both figures grow.
    const isCounting = this.#exclusion.leftOut.count(COUNTED_PER_STEP);
    this.#isScanned ||= this.#scanner.step() === undefined;
    return isCounting || !this.#isScanned;
  }

  estimate(done: boolean): Estimate {
    const { files, bytes } = this.#scanner.counts;
    const warned = this.#scanner.warnings
      .filter(({ reason }) => !EXPECTED_WARNINGS.has(reason))
      .map(({ path }) => path);
    const unreadable = [...new Set([...this.#unreadableRoots, ...warned])].slice(0, MOST_UNREADABLE);
    return { done, files, bytes, rules: this.#exclusion.rules(), unreadable };
  }

  [Symbol.dispose](): void {
    this.#exclusion.leftOut[Symbol.dispose]();
  }

  #realOf(path: string): readonly [path: string, real: string][] {
    return this.#orUnreadable(path, () => [path, realSourceOf(path)]);
  }

  #check([path, real]: readonly [path: string, real: string], places: Places): readonly RootState[] {
    return this.#orUnreadable(path, () => checkRoot({ path, real }, undefined, { places, accepts: true }));
  }

  #orUnreadable<Found>(root: string, find: () => Found): readonly Found[] {
    try {
      return [find()];
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      this.#unreadableRoots.push(root);
      return [];
    }
  }
}

/** The rules of a set, which count the paths that each excludes, with everything below them. */
class CountingExclusion extends Exclusion {
  /** Examples of what each rule excludes. */
  readonly #examples: Map<string, string[]>;

  constructor(excludes: readonly string[], presets: readonly string[], ownFolders: readonly string[]) {
    super(excludes, presets, ownFolders);
    const rules = [...excludes, ...presets.map((preset) => `preset:${preset}`)];
    this.#examples = new Map(rules.map((rule) => [rule, []]));
  }

  /** Counts the rules of a preset together. */
  override leaveOut({ pattern, source }: Rule, path: string, stat: BigIntStats): void {
    if (source === 'holdfast') return;
    const rule = source === 'set' ? pattern : source;
    const examples = this.#examples.get(rule) ?? [];
    this.#examples.set(rule, examples);
    if (examples.length < MOST_EXAMPLES) examples.push(path);
    this.leftOut.add(rule, path, stat);
  }

  /** Returns the set's own patterns, then its presets, then ignore files. */
  rules(): Estimate['rules'] {
    return Array.from(this.#examples, ([rule, examples]) => {
      const { files, bytes } = this.leftOut.by(rule);
      return { rule, files, bytes, examples: [...examples] };
    });
  }
}
