import { lstatSync, opendirSync, type BigIntStats, type Dir, type Stats } from 'node:fs';
import { sumOf, type LeftOutByRule } from '../../base/left-out.ts';
import { fileSystemPath, segmentOfBytes } from '../../os/filesystem/names/entry-path.ts';

interface Effect {
  files: number;
  bytes: number;
  /** Folders that are not counted yet. */
  uncounted: number;
}

/** A folder that was left out, or one in it, whose entries are still to be counted. */
interface UncountedFolder {
  readonly path: string;
  readonly device: number;
  readonly effect: Effect;
}

/** Rules that are named one by one: ignore files may have any number. */
const MOST_RULES = 200;

/** Names the rest of them together. */
const OTHER_RULES = '…';

/**
 * Counts what rules leave out. Nothing else looks into a folder that is left out, so that counting its files is a walk of its own, which its caller ends
 * when it has cost enough.
 */
export class LeftOut implements Disposable {
  readonly #effects = new Map<string, Effect>();
  readonly #ownFolders: ReadonlySet<string>;
  #folders: UncountedFolder[] = [];
  /** Index of the folder that is being counted. */
  #current = 0;
  #entries: Dir | undefined;

  /** @param ownFolders entry paths of the program's own data, which is not a person's and is not counted */
  constructor(ownFolders: ReadonlySet<string>) {
    this.#ownFolders = ownFolders;
  }

  /** @param rule counts together what has the same */
  add(rule: string, path: string, stat: BigIntStats): void {
    if (this.#ownFolders.has(path)) return;
    const effect = this.#effects.get(rule) ?? { files: 0, bytes: 0, uncounted: 0 };
    this.#effects.set(rule, effect);
    this.#count(path, stat, effect, Number(stat.dev));
  }

  /**
   * Counts entries of folders that were left out: first those of the folders, then those inside of them.
   *
   * @returns whether there is more to count
   */
  count(limit: number): boolean {
    for (let counted = 0; counted < limit; counted += 1) {
      const folder = this.#folders[this.#current];
      if (!folder) return false;
      const name = this.#nextIn(folder.path);
      if (name === undefined) this.#leave(folder);
      else this.#countAt(`${folder.path}/${name}`, folder);
    }
    return this.#folders.length > 0;
  }

  /**
   * Returns what each rule has left out, most bytes first.
   *
   * @param named rules that are returned also if they have left out nothing
   */
  byRule(named: readonly string[] = []): LeftOutByRule[] {
    const rules = Array.from(new Set([...this.#effects.keys(), ...named]), (rule) => this.by(rule));
    rules.sort((one, other) => other.bytes - one.bytes || other.files - one.files);
    const rest = rules.splice(MOST_RULES);
    return rest.length === 0 ? rules : [...rules, { rule: OTHER_RULES, ...sumOf(rest) }];
  }

  /** Returns what a rule has left out. */
  by(rule: string): LeftOutByRule {
    return shown(rule, this.#effects.get(rule) ?? { files: 0, bytes: 0, uncounted: 0 });
  }

  [Symbol.dispose](): void {
    this.#entries?.closeSync();
    this.#entries = undefined;
  }

  #countAt(path: string, { effect, device }: UncountedFolder): void {
    const stat = statOf(path);
    if (stat) this.#count(path, stat, effect, device);
  }

  #count(path: string, stat: Stats | BigIntStats, effect: Effect, device: number): void {
    if (!stat.isDirectory()) {
      effect.files += 1;
      if (stat.isFile()) effect.bytes += Number(stat.size);
      // Another file system that is mounted there is another disk's.
    } else if (Number(stat.dev) === device && !this.#ownFolders.has(path)) {
      effect.uncounted += 1;
      this.#folders.push({ path, device, effect });
    }
  }

  /** Returns the next name in the folder; `undefined` at its end, or if it cannot be read. */
  #nextIn(folder: string): string | undefined {
    try {
      this.#entries ??= opendirSync(fileSystemPath(folder), { encoding: 'buffer' as BufferEncoding, bufferSize: 64 });
      const entry = this.#entries.readSync();
      // Asked for as bytes, which its type does not know.
      return entry ? segmentOfBytes(entry.name as unknown as Buffer) : undefined;
    } catch {
      return undefined;
    }
  }

  #leave({ effect }: UncountedFolder): void {
    this[Symbol.dispose]();
    effect.uncounted -= 1;
    this.#current += 1;
    if (this.#current < this.#folders.length) return;
    this.#folders = [];
    this.#current = 0;
  }
}

function shown(rule: string, { files, bytes, uncounted }: Effect): LeftOutByRule {
  return { rule, files, bytes, ...(uncounted > 0 && { isAtLeast: true as const }) };
}

function statOf(path: string): Stats | undefined {
  try {
    // Numbers cost less than those of any length, and an odd byte of a huge file makes no difference.
    return lstatSync(fileSystemPath(path), { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
