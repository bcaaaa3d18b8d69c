import ignore, { type Ignore } from 'ignore';

/** A pattern and its source. */
export interface Rule {
  /** As it was written, which names the rule. */
  readonly pattern: string;
  /** `set`, `preset:<name>`, or the entry path of a `.holdfastignore`. */
  readonly source: string;
}

export type Verdict = { readonly kind: 'excluded'; readonly rule: Rule } | { readonly kind: 'included' } | undefined;

// `ignore` caches every path that it tests; a million of them would fill the memory.
const TESTS_PER_MATCHER = 20_000;

// Compares names like the platform's file systems, as git does.
export const IGNORE_CASE = process.platform === 'darwin' || process.platform === 'win32';

/** Ordered patterns, such as the lines of an ignore file: the last match decides. */
export class RuleList {
  readonly isEmpty: boolean;
  readonly #given: readonly Rule[];
  readonly #rules: Ignore;
  #matcher: Ignore;
  #tests = 0;

  /** @param syntaxOf returns a rule's pattern in gitignore syntax, relative to the folder of the list */
  constructor(rules: readonly Rule[], syntaxOf = ({ pattern }: Rule): string => pattern) {
    this.isEmpty = rules.length === 0;
    this.#given = rules;
    this.#rules = ignore({ ignorecase: IGNORE_CASE });
    for (const [index, rule] of rules.entries()) this.#rules.add({ pattern: syntaxOf(rule), mark: String(index) });
    this.#matcher = this.#renewed();
  }

  /**
   * @param relativePath relative to the patterns' folder; a directory's ends in `/`
   * @returns `undefined` if no pattern matches
   */
  test(relativePath: string): Verdict {
    this.#tests += 1;
    if (this.#tests > TESTS_PER_MATCHER) this.#matcher = this.#renewed();
    const result = this.#matcher.test(relativePath);
    if (result.unignored) return { kind: 'included' };
    if (!result.ignored) return undefined;
    return { kind: 'excluded', rule: this.#given[Number(result.rule?.mark)]! };
  }

  #renewed(): Ignore {
    this.#tests = 0;
    return ignore({ ignorecase: IGNORE_CASE }).add(this.#rules);
  }
}

/** Parses the patterns of an ignore file. */
export function parseIgnoreFile(text: string, source: string): Rule[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((pattern) => ({ pattern, source }));
}
