import { readFileSync } from 'node:fs';
import { fileSystemPath } from '../filesystem/entry-path.ts';
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

// A larger one is not a list of patterns.
const IGNORE_FILE_LIMIT = 1024 * 1024;

interface Level {
  /** Entry path of the folder to which the patterns are relative. */
  readonly base: string;
  readonly rules: RuleList;
}

/** The rules in force in one folder: the set's own, and those of each ignore file from the root down to here. */
export type ExclusionScope = readonly Level[];

/** A path from a folder on; `/` and a drive end with a slash themselves. */
function below(folder: string, path: string): string {
  return path.slice(folder.endsWith('/') ? folder.length : folder.length + 1);
}

/** Decides what a set leaves out, and counts what each rule dropped. */
export class Exclusion {
  readonly #rules: RuleList;
  readonly #ownFolders: ReadonlySet<string>;
  readonly #effects = new Map<string, { entries: number; bytes: number }>();

  /**
   * @param presets names that `isPresetName` accepts; others are passed over
   * @param ownFolders entry paths that are never backed up: the program's own data and its destination
   */
  constructor(excludes: readonly string[], presets: readonly string[], ownFolders: readonly string[]) {
    const rules: Rule[] = presets
      .filter(isPresetName)
      .flatMap((name) => PRESETS[name].map((pattern) => ({ pattern, source: `preset:${name}` })));
    // The person's own patterns come last, so that they can take back what a preset leaves out.
    this.#rules = new RuleList([...rules, ...excludes.map((pattern) => ({ pattern, source: 'set' }))]);
    this.#ownFolders = new Set(ownFolders);
  }

  rootScope(root: string): ExclusionScope {
    return [{ base: root, rules: this.#rules }];
  }

  /** The scope inside of a folder, with its ignore file where it has one; an unreadable one throws a system error. */
  enter(scope: ExclusionScope, folder: string, hasIgnoreFile: boolean): ExclusionScope {
    if (!hasIgnoreFile) return scope;
    const path = `${folder}/${IGNORE_FILE}`;
    const bytes = readFileSync(fileSystemPath(path));
    if (bytes.length > IGNORE_FILE_LIMIT) return scope;
    return [...scope, { base: folder, rules: new RuleList(parseIgnoreFile(bytes.toString('utf8'), path)) }];
  }

  /** Whether an entry is left out. The innermost folder whose patterns say anything decides, as in git. */
  excludes(scope: ExclusionScope, path: string, isDirectory: boolean): Rule | undefined {
    if (isDirectory && this.#ownFolders.has(path)) return { pattern: path, source: 'holdfast' };
    for (let index = scope.length - 1; index >= 0; index -= 1) {
      const { base, rules } = scope[index]!;
      if (rules.isEmpty) continue;
      const verdict = rules.test(below(base, path) + (isDirectory ? '/' : ''));
      if (verdict) return verdict.kind === 'excluded' ? verdict.rule : undefined;
    }
    return undefined;
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
