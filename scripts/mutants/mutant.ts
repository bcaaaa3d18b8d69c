/** One change that breaks a promise of the code, and the tests that notice it. */
export interface Mutant {
  /** What the change does, unique in the list; `--only` looks for a part of it. */
  readonly name: string;
  /** Path in the checkout, with `/`. */
  readonly file: string;
  /** A piece of the file's text that occurs exactly once. */
  readonly text: string;
  readonly replacement: string;
  /** Test files of which each fails when the change is made. */
  readonly tests: readonly [string, ...string[]];
  /** Pattern of the names of the tests in these files that have to fail; all by default. */
  readonly testName?: string;
}

/** Result of applying a change: the new text, or the reason why it does not apply. */
export type Applied =
  | { readonly kind: 'applied'; readonly text: string }
  | { readonly kind: 'misfit'; readonly reason: string };

/** Makes a change in the text of its file. */
export function applyMutant(mutant: Pick<Mutant, 'text' | 'replacement'>, text: string): Applied {
  if (mutant.text === mutant.replacement) return { kind: 'misfit', reason: 'it changes nothing' };
  const at = mutant.text === '' ? -1 : text.indexOf(mutant.text);
  if (at === -1) return { kind: 'misfit', reason: 'the text is not in the file' };
  if (text.includes(mutant.text, at + 1)) return { kind: 'misfit', reason: 'the text is in the file more than once' };
  return { kind: 'applied', text: text.slice(0, at) + mutant.replacement + text.slice(at + mutant.text.length) };
}
