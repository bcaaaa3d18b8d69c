import { lstatSync, type BigIntStats } from 'node:fs';
import { fileSystemPath } from '../../../engine/filesystem/entry-path.ts';
import { Exclusion, type ExclusionScope } from '../../../engine/scan/exclusion.ts';
import { readDirectorySync } from '../../../engine/scan/read-directory.ts';
import type { Rule } from '../../../engine/scan/rules.ts';
import { Scanner, type ScanCatalog } from '../../../engine/scan/scanner.ts';
import { checkRoot, type RootState } from '../../../engine/scan/source-check.ts';
import { isHoldfastError } from '../../../base/errors.ts';
import type { Estimate } from '../../../ipc/contract/sets.ts';

/** What is to be counted. Can be sent to a thread. */
export interface EstimateRequest {
  /** Entry paths. */
  readonly roots: readonly string[];
  readonly excludes: readonly string[];
  readonly presets: readonly string[];
  readonly oneFileSystem: boolean;
  /** Entry paths that backups pass over. */
  readonly ownFolders: readonly string[];
}

const MOST_EXAMPLES = 20;
const MOST_UNREADABLE = 100;

/** What a backup passes over by itself is nothing that a person could not read. */
const NO_TROUBLE: ReadonlySet<string> = new Set(['special-file', 'other-file-system', 'vanished']);

/** Nothing is known of these folders, and nothing is kept. */
const EMPTY_CATALOG: ScanCatalog = {
  children: () => [],
  newDirectory: () => undefined,
  put: () => undefined,
  remove: () => undefined,
};

/** Counts what a set would hold with the very scanner that backups have, and all that its rules keep out. */
export class EstimateWalk {
  readonly #scanner: Scanner;
  readonly #exclusion: CountingExclusion;
  readonly #unreadableRoots: string[] = [];
  #isScanned = false;

  constructor(request: EstimateRequest) {
    const { roots, excludes, presets, oneFileSystem, ownFolders } = request;
    this.#exclusion = new CountingExclusion(excludes, presets, ownFolders);
    const options = { exclusion: this.#exclusion, oneFileSystem, rehash: false, allowEmpty: true };
    this.#scanner = new Scanner(EMPTY_CATALOG, options);
    this.#scanner.addRoots(
      undefined,
      roots.map((root) => this.#look(root)).filter((state) => state !== undefined),
    );
  }

  /** Goes on for some milliseconds; answers whether there is more to do. */
  step(): boolean {
    // What rules drop is counted along, so that both grow as a person watches.
    const isDropping = this.#exclusion.measure();
    this.#isScanned ||= this.#scanner.step() === undefined;
    return isDropping || !this.#isScanned;
  }

  estimate(done: boolean): Estimate {
    const { files, bytes } = this.#scanner.counts;
    const warned = this.#scanner.warnings.filter(({ reason }) => !NO_TROUBLE.has(reason)).map(({ path }) => path);
    const unreadable = [...new Set([...this.#unreadableRoots, ...warned])].slice(0, MOST_UNREADABLE);
    return { done, files, bytes, rules: this.#exclusion.rules(), unreadable };
  }

  #look(root: string): RootState | undefined {
    try {
      return checkRoot(root, undefined, true);
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      this.#unreadableRoots.push(root);
      return undefined;
    }
  }
}

interface Effect {
  readonly rule: string;
  entries: number;
  bytes: number;
  readonly examples: string[];
}

/** A folder that a rule dropped, or one in it, whose content is still to be counted. */
interface Dropped {
  readonly path: string;
  readonly device: bigint;
  readonly effect: Effect;
}

/** The rules of a set, with the paths that each drops and all that is below them. */
class CountingExclusion extends Exclusion {
  readonly #effects: Map<string, Effect>;
  readonly #ownFolders: ReadonlySet<string>;
  readonly #dropped: Dropped[] = [];
  #asked = '';

  constructor(excludes: readonly string[], presets: readonly string[], ownFolders: readonly string[]) {
    super(excludes, presets, ownFolders);
    this.#ownFolders = new Set(ownFolders);
    const rules = [...excludes, ...presets.map((preset) => `preset:${preset}`)];
    this.#effects = new Map(rules.map((rule) => [rule, newEffect(rule)]));
  }

  override excludes(scope: ExclusionScope, path: string, isDirectory: boolean): Rule | undefined {
    this.#asked = path;
    return super.excludes(scope, path, isDirectory);
  }

  /** The scanner counts the entry that it asked about just before. */
  override count(rule: Rule): void {
    if (rule.source === 'holdfast') return;
    const effect = this.#effectOf(rule);
    if (effect.examples.length < MOST_EXAMPLES) effect.examples.push(this.#asked);
    this.#add(this.#asked, effect, undefined);
  }

  /** Counts what is directly in the next dropped folder; answers whether there is another one. */
  measure(): boolean {
    const folder = this.#dropped.pop();
    if (!folder) return false;
    for (const name of namesIn(folder.path)) this.#add(`${folder.path}/${name}`, folder.effect, folder.device);
    return true;
  }

  /** In the order of the set: its own patterns, then the presets, then ignore files. */
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
    // Another disk that is mounted there is not what the rule saves.
    else if (stat.isDirectory() && (device ?? stat.dev) === stat.dev) {
      this.#dropped.push({ path, device: stat.dev, effect });
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
