import ignore, { type Ignore } from 'ignore';

/** A pattern in gitignore syntax, with the name under which its effect is shown. */
export interface Rule {
  readonly pattern: string;
  /** Where it stands: `set`, `preset:<name>`, or the entry path of a `.holdfastignore`. */
  readonly source: string;
}

export type Verdict = { readonly kind: 'excluded'; readonly rule: Rule } | { readonly kind: 'included' } | undefined;

// `ignore` remembers every path that it was asked about; a million of them would fill the memory.
const TESTS_BEFORE_RENEWAL = 20_000;

// As git does: names differ by case where the file system says so.
const IGNORE_CASE = process.platform === 'darwin' || process.platform === 'win32';

/** Patterns that stand together, as the lines of one ignore file do: the last one that matches decides. */
export class RuleList {
  readonly isEmpty: boolean;
  readonly #rules: Ignore;
  #matcher: Ignore;
  #tests = 0;

  constructor(rules: readonly Rule[]) {
    this.isEmpty = rules.length === 0;
    this.#rules = ignore({ ignorecase: IGNORE_CASE });
    for (const rule of rules) this.#rules.add({ pattern: rule.pattern, mark: rule.source });
    this.#matcher = this.#renewed();
  }

  /**
   * @param relativePath below the folder to which the patterns belong; a directory's ends in `/`
   * @returns nothing where no pattern says anything
   */
  test(relativePath: string): Verdict {
    this.#tests += 1;
    if (this.#tests > TESTS_BEFORE_RENEWAL) this.#matcher = this.#renewed();
    const result = this.#matcher.test(relativePath);
    if (result.unignored) return { kind: 'included' };
    if (!result.ignored) return undefined;
    return { kind: 'excluded', rule: { pattern: result.rule?.pattern ?? '', source: result.rule?.mark ?? '' } };
  }

  #renewed(): Ignore {
    this.#tests = 0;
    return ignore({ ignorecase: IGNORE_CASE }).add(this.#rules);
  }
}

/** The lines of an ignore file that are patterns. */
export function parseIgnoreFile(text: string, source: string): Rule[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((pattern) => ({ pattern, source }));
}
