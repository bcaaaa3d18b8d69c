import { lstatSync, type BigIntStats } from 'node:fs';
import { fileSystemPath } from '../../../engine/filesystem/names/entry-path.ts';
import { Exclusion, type ExclusionScope } from '../../../engine/scan/exclusion.ts';
import { readDirectorySync } from '../../../engine/scan/read-directory.ts';
import type { Rule } from '../../../engine/scan/rules.ts';
import { Places } from '../../../engine/scan/places.ts';
import { Scanner } from '../../../engine/scan/scanner.ts';
import type { ScanCatalog } from '../../../engine/scan/types.ts';
import { checkRoot, realSourceOf, type RootState } from '../../../engine/scan/source-check.ts';
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
const MOST_UNREADABLE = 100;

/** Entries that backups always skip are not reported as unreadable. */
const EXPECTED_WARNINGS: ReadonlySet<string> = new Set(['special-file', 'other-file-system', 'vanished']);

/** Knows no entries and stores none. */
const EMPTY_CATALOG: ScanCatalog = {
  children: () => [],
  newDirectory: () => undefined,
  put: () => undefined,
  move: () => undefined,
  remove: () => undefined,
};

/** Estimates a set with the scanner that backups use, and counts what its rules exclude. */
export class EstimateWalk {
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
    const isCounting = this.#exclusion.measure();
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

interface Effect {
  readonly rule: string;
  entries: number;
  bytes: number;
  readonly examples: string[];
}

/** An excluded folder, or one in it, whose content is still to be counted. */
interface ExcludedFolder {
  readonly path: string;
  readonly device: bigint;
  readonly effect: Effect;
}

/** The rules of a set, which count the paths that each excludes, with everything below them. */
class CountingExclusion extends Exclusion {
  readonly #effects: Map<string, Effect>;
  readonly #ownFolders: ReadonlySet<string>;
  readonly #uncounted: ExcludedFolder[] = [];
  #lastPath = '';

  constructor(excludes: readonly string[], presets: readonly string[], ownFolders: readonly string[]) {
    super(excludes, presets, ownFolders);
    this.#ownFolders = new Set(ownFolders);
    const rules = [...excludes, ...presets.map((preset) => `preset:${preset}`)];
    this.#effects = new Map(rules.map((rule) => [rule, newEffect(rule)]));
  }

  override excludes(scope: ExclusionScope, path: string, isDirectory: boolean): Rule | undefined {
    this.#lastPath = path;
    return super.excludes(scope, path, isDirectory);
  }

  /** The scanner calls this for the entry of its last call of `excludes`. */
  override count(rule: Rule): void {
    if (rule.source === 'holdfast') return;
    const effect = this.#effectOf(rule);
    if (effect.examples.length < MOST_EXAMPLES) effect.examples.push(this.#lastPath);
    this.#add(this.#lastPath, effect, undefined);
  }

  /** Counts the entries of the next excluded folder. Returns whether there was one. */
  measure(): boolean {
    const folder = this.#uncounted.pop();
    if (!folder) return false;
    for (const name of namesIn(folder.path)) this.#add(`${folder.path}/${name}`, folder.effect, folder.device);
    return true;
  }

  /** Returns the set's own patterns, then its presets, then ignore files. */
  rules(): Estimate['rules'] {
    return Array.from(this.#effects.values(), (effect) => ({ ...effect, examples: [...effect.examples] }));
  }

  #effectOf({ pattern, source }: Rule): Effect {
    const name = source === 'set' ? pattern : source;
    const effect = this.#effects.get(name) ?? newEffect(name);
    this.#effects.set(name, effect);
    return effect;
  }

  #add(path: string, effect: Effect, device: bigint | undefined): void {
    const stat = statOf(path);
    if (!stat || this.#ownFolders.has(path)) return;
    effect.entries += 1;
    if (stat.isFile()) effect.bytes += Number(stat.size);
    // Another file system mounted there would not be backed up anyway.
    else if (stat.isDirectory() && (device ?? stat.dev) === stat.dev) {
      this.#uncounted.push({ path, device: stat.dev, effect });
    }
  }
}

function newEffect(rule: string): Effect {
  return { rule, entries: 0, bytes: 0, examples: [] };
}

function namesIn(path: string): readonly string[] {
  try {
    return readDirectorySync(path);
  } catch {
    return [];
  }
}

function statOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(fileSystemPath(path), { bigint: true });
  } catch {
    return undefined;
  }
}
