import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readSync, type BigIntStats } from 'node:fs';
import { nameOf } from '../../model/entry-path.ts';
import { fileSystemPath } from '../../os/filesystem/names/entry-path.ts';
import { timeMachineMark } from '../../os/filesystem/macos/time-machine-mark.ts';
import { isPartialName, PARTIAL_PATTERN } from '../../os/filesystem/names/partial-name.ts';
import { hasSideMarker, isSideFolderName, SIDE_MARKER } from '../../os/filesystem/names/side-folder.ts';
import { sharedIn } from '../../os/filesystem/database-file.ts';
import { LeftOut } from './left-out.ts';
import { PresetRules, type PresetScope, type PresetSystem } from './presets/preset-rules.ts';
import { isPresetName } from './presets/presets.ts';
import { parseIgnoreFile, RuleList, type Rule, type Verdict } from './rules.ts';
import { patternWithin, realOf } from './source-patterns.ts';
import { MIB } from '../../model/units.ts';

export const IGNORE_FILE = '.holdfastignore';

/** Bytes of the longest list of patterns. */
const IGNORE_FILE_LIMIT = MIB;

const PARTIAL: Rule = { pattern: PARTIAL_PATTERN, source: 'holdfast' };

/** What a restore has moved aside is in earlier restore points, or was there before them. */
const ASIDE: Rule = { pattern: SIDE_MARKER, source: 'holdfast' };

/** What programs share while they have a database open. */
const SHARED: Readonly<Record<'sqlite' | 'lmdb', Rule>> = {
  sqlite: { pattern: '*-shm', source: 'holdfast' },
  lmdb: { pattern: 'lock.mdb', source: 'holdfast' },
};

/** What an app keeps out of Time Machine, too. */
const MARKED: Rule = { pattern: 'com_apple_backup_excludeItem', source: 'preset:time-machine' };

/** Finds out whether a program or a person has marked an entry. */
export interface ExclusionMark {
  /** @param path entry path */
  isOn(path: string): boolean;
}

interface Level {
  /** Entry path of the folder that the patterns are relative to. */
  readonly base: string;
  readonly rules: RuleList;
}

/** The rules that apply in one folder. */
export interface ExclusionScope {
  /** The set's own patterns, and those of each ignore file from the source down to the folder. */
  readonly patterns: readonly Level[];
  readonly presets: PresetScope;
  /** True for the scope around a source, which is not entered yet. */
  readonly isAbove: boolean;
}

/** The computer whose files are scanned. */
export interface ExclusionSystem extends PresetSystem {
  /** The mark by which the preset `time-machine` leaves entries out. */
  readonly mark: ExclusionMark | undefined;
}

/** Makes a path relative to a folder. `/` and drives already end with a slash. */
function below(folder: string, path: string): string {
  return path.slice(folder.endsWith('/') ? folder.length : folder.length + 1);
}

/** Decides which entries a set excludes, and counts what each rule leaves out. */
export class Exclusion {
  readonly leftOut: LeftOut;
  /** The set's own patterns. */
  readonly #rules: readonly Rule[];
  readonly #presets: PresetRules;
  readonly #ownFolders: ReadonlySet<string>;
  readonly #mark: ExclusionMark | undefined;

  /**
   * @param presets names of presets; unknown names are ignored
   * @param ownFolders entry paths that are never backed up: the program's own data and its destination
   * @param system this computer by default
   */
  constructor(
    excludes: readonly string[],
    presets: readonly string[],
    ownFolders: readonly string[],
    system: Partial<ExclusionSystem> = {},
  ) {
    const { mark = timeMachineMark() } = system;
    this.#mark = presets.includes('time-machine') ? mark : undefined;
    this.#rules = excludes.map((pattern) => ({ pattern, source: 'set' }));
    this.#presets = new PresetRules(presets.filter(isPresetName), system);
    this.#ownFolders = new Set(ownFolders);
    this.leftOut = new LeftOut(this.#ownFolders);
  }

  /** Returns the scope around a source. It is entered like any other folder before its entries are asked for. */
  rootScope(root: string): ExclusionScope {
    return {
      patterns: [{ base: root, rules: new RuleList(this.#rules, ({ pattern }) => patternWithin(root, pattern)) }],
      presets: this.#presets.above(realOf(root)),
      isAbove: true,
    };
  }

  /**
   * Returns the scope inside a folder, with its ignore file if it has one. What else has that name has no patterns. Throws a system
   * error if the file is unreadable; `enterWithoutIgnoreFile` then goes on.
   *
   * @param has returns whether the folder has an entry of this name
   */
  enter(
    scope: ExclusionScope,
    folder: string,
    has = (name: string): boolean => existsIn(folder, name),
  ): ExclusionScope {
    const path = inFolder(folder, IGNORE_FILE);
    const text = has(IGNORE_FILE) ? readIgnoreFile(path) : undefined;
    // Who includes the folder includes what is in it.
    const isChosen = (): boolean => scope.isAbove || this.#verdictOf(scope, folder, true)?.kind === 'included';
    return {
      patterns:
        text === undefined
          ? scope.patterns
          : [...scope.patterns, { base: folder, rules: new RuleList(parseIgnoreFile(text, path)) }],
      presets: this.#presets.enter(scope.presets, folder, { isSource: scope.isAbove, isChosen, has }),
      isAbove: false,
    };
  }

  enterWithoutIgnoreFile(scope: ExclusionScope, folder: string): ExclusionScope {
    return this.enter(
      scope,
      folder,
      (name) => name !== IGNORE_FILE && existsSync(fileSystemPath(inFolder(folder, name))),
    );
  }

  /** Returns the rule that excludes an entry. The innermost folder with a matching pattern decides, as in git. */
  excludes(scope: ExclusionScope, path: string, isDirectory: boolean): Rule | undefined {
    if (isDirectory && this.#ownFolders.has(path)) return { pattern: path, source: 'holdfast' };
    if (isDirectory && isMovedAside(path)) return ASIDE;
    // What a killed restore has left is no file of the person.
    if (!isDirectory && isPartialName(nameOf(path))) return PARTIAL;
    const shared = isDirectory ? undefined : sharedIn(path);
    if (shared) return SHARED[shared];
    // A person has chosen the source itself, whatever its name is.
    if (scope.isAbove) return undefined;
    const verdict = this.#verdictOf(scope, path, isDirectory);
    if (verdict) return verdict.kind === 'excluded' ? verdict.rule : undefined;
    // Patterns come first, so that a person can include what a preset leaves out, or what has the mark.
    return this.#presets.excludes(scope.presets, path, isDirectory) ?? (this.#mark?.isOn(path) ? MARKED : undefined);
  }

  /** Counts an entry under the rule that `excludes` has returned for it. */
  leaveOut({ pattern, source }: Rule, path: string, stat: BigIntStats): void {
    this.leftOut.add(source === 'set' ? pattern : `${source}: ${pattern}`, path, stat);
  }

  #verdictOf({ patterns }: ExclusionScope, path: string, isDirectory: boolean): Verdict {
    for (let index = patterns.length - 1; index >= 0; index -= 1) {
      const { base, rules } = patterns[index]!;
      if (rules.isEmpty) continue;
      const verdict = rules.test(below(base, path) + (isDirectory ? '/' : ''));
      if (verdict) return verdict;
    }
    return undefined;
  }
}

/** Returns whether a folder has an entry, also a link that leads nowhere. Throws a system error if it cannot be looked into. */
function existsIn(folder: string, name: string): boolean {
  return lstatSync(fileSystemPath(inFolder(folder, name)), { throwIfNoEntry: false }) !== undefined;
}

function inFolder(folder: string, name: string): string {
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}

/** Returns `undefined` for a folder, a pipe or a device, whose end might never come, and for what is too long to be a list. */
function readIgnoreFile(path: string): string | undefined {
  // Opening a pipe would wait for its writer.
  const file = openSync(fileSystemPath(path), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(file).isFile()) return undefined;
    const bytes = Buffer.allocUnsafeSlow(IGNORE_FILE_LIMIT + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, { offset: length });
    }
    return length > IGNORE_FILE_LIMIT ? undefined : bytes.toString('utf8', 0, length);
  } finally {
    closeSync(file);
  }
}

function isMovedAside(folder: string): boolean {
  if (!isSideFolderName(nameOf(folder))) return false;
  return hasSideMarker(fileSystemPath(`${folder}/${SIDE_MARKER}`));
}
