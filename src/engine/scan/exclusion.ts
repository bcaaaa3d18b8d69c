import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { fileSystemPath } from '../filesystem/names/entry-path.ts';
import { timeMachineMark } from '../filesystem/macos/time-machine-mark.ts';
import { isPartialName, PARTIAL_PATTERN } from '../filesystem/names/partial-name.ts';
import { hasSideMarker, isSideFolderName, SIDE_MARKER } from '../filesystem/names/side-folder.ts';
import { isPresetName, PRESETS } from './presets.ts';
import { parseIgnoreFile, RuleList, type Rule } from './rules.ts';

/** Effect of one exclusion rule on a run. */
export interface ExclusionEffect {
  readonly rule: string;
  readonly entries: number;
  /** Bytes of the excluded files. An excluded folder counts as 0, since its content is not scanned. */
  readonly bytes: number;
}

export const IGNORE_FILE = '.holdfastignore';

/** Bytes of the longest list of patterns. */
const IGNORE_FILE_LIMIT = 1024 * 1024;

const PARTIAL: Rule = { pattern: PARTIAL_PATTERN, source: 'holdfast' };

/** What a restore has moved aside is in earlier restore points, or was there before them. */
const ASIDE: Rule = { pattern: SIDE_MARKER, source: 'holdfast' };

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

/** The rules that apply in one folder: the set's own, and those of each ignore file from the root down to it. */
export type ExclusionScope = readonly Level[];

/** Makes a path relative to a folder. `/` and drives already end with a slash. */
function below(folder: string, path: string): string {
  return path.slice(folder.endsWith('/') ? folder.length : folder.length + 1);
}

/** Decides which entries a set excludes, and counts the effect of each rule. */
export class Exclusion {
  readonly #rules: RuleList;
  readonly #ownFolders: ReadonlySet<string>;
  readonly #mark: ExclusionMark | undefined;
  readonly #effects = new Map<string, { entries: number; bytes: number }>();

  /**
   * @param presets names of presets; unknown names are ignored
   * @param ownFolders entry paths that are never backed up: the program's own data and its destination
   * @param mark of the preset `time-machine`; that of the operating system by default
   */
  constructor(
    excludes: readonly string[],
    presets: readonly string[],
    ownFolders: readonly string[],
    mark: ExclusionMark | undefined = timeMachineMark(),
  ) {
    this.#mark = presets.includes('time-machine') ? mark : undefined;
    const rules: Rule[] = presets
      .filter(isPresetName)
      .flatMap((name) => PRESETS[name].map((pattern) => ({ pattern, source: `preset:${name}` })));
    // The person's own patterns come last, so that they can include what a preset excludes.
    this.#rules = new RuleList([...rules, ...excludes.map((pattern) => ({ pattern, source: 'set' }))]);
    this.#ownFolders = new Set(ownFolders);
  }

  rootScope(root: string): ExclusionScope {
    return [{ base: root, rules: this.#rules }];
  }

  /**
   * Returns the scope inside a folder, with its ignore file if it has one. What else has that name has no patterns. Throws a system
   * error if the file is unreadable.
   */
  enter(scope: ExclusionScope, folder: string, hasIgnoreFile: boolean): ExclusionScope {
    if (!hasIgnoreFile) return scope;
    const path = `${folder}/${IGNORE_FILE}`;
    const text = readIgnoreFile(path);
    if (text === undefined) return scope;
    return [...scope, { base: folder, rules: new RuleList(parseIgnoreFile(text, path)) }];
  }

  /** Returns the rule that excludes an entry. The innermost folder with a matching pattern decides, as in git. */
  excludes(scope: ExclusionScope, path: string, isDirectory: boolean): Rule | undefined {
    if (isDirectory && this.#ownFolders.has(path)) return { pattern: path, source: 'holdfast' };
    if (isDirectory && isMovedAside(path)) return ASIDE;
    // What a killed restore has left is no file of the person.
    if (!isDirectory && isPartialName(path.slice(path.lastIndexOf('/') + 1))) return PARTIAL;
    for (let index = scope.length - 1; index >= 0; index -= 1) {
      const { base, rules } = scope[index]!;
      if (rules.isEmpty) continue;
      const verdict = rules.test(below(base, path) + (isDirectory ? '/' : ''));
      if (verdict) return verdict.kind === 'excluded' ? verdict.rule : undefined;
    }
    // Patterns come first, so that a person can include what has the mark.
    return this.#mark?.isOn(path) ? MARKED : undefined;
  }

  count(rule: Rule, bytes: number): void {
    const key = rule.source === 'set' ? rule.pattern : `${rule.source}: ${rule.pattern}`;
    const effect = this.#effects.get(key) ?? { entries: 0, bytes: 0 };
    this.#effects.set(key, { entries: effect.entries + 1, bytes: effect.bytes + bytes });
  }

  effects(): ExclusionEffect[] {
    return [...this.#effects].map(([rule, effect]) => ({ rule, entries: effect.entries, bytes: effect.bytes }));
  }
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
  if (!isSideFolderName(folder.slice(folder.lastIndexOf('/') + 1))) return false;
  return hasSideMarker(fileSystemPath(`${folder}/${SIDE_MARKER}`));
}
