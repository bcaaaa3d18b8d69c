import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { Mutant } from './mutant.ts';
import type { Verdict } from './verdict.ts';

/** Verdicts of earlier runs, one line of JSON each. One counts while the change, its file and its test files are the same. */
export class KnownVerdicts {
  readonly #file: string | undefined;
  readonly #verdicts = new Map<string, Verdict>();

  /** @param file is created by the first verdict; `undefined` remembers nothing */
  constructor(file: string | undefined) {
    this.#file = file;
    if (file === undefined || !existsSync(file)) return;
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      // A run that was ended may have left half of a line.
      if (!line.endsWith('}')) continue;
      const { key, verdict } = JSON.parse(line) as { key: string; verdict: Verdict };
      this.#verdicts.set(key, verdict);
    }
  }

  /** @param read returns the text of a file of the checkout */
  find(mutant: Mutant, read: (file: string) => string): Verdict | undefined {
    return this.#verdicts.get(keyOf(mutant, read));
  }

  add(mutant: Mutant, read: (file: string) => string, verdict: Verdict): void {
    const key = keyOf(mutant, read);
    if (this.#file === undefined || this.#verdicts.has(key)) return;
    this.#verdicts.set(key, verdict);
    appendFileSync(this.#file, `${JSON.stringify({ key, name: mutant.name, verdict })}\n`);
  }
}

function keyOf(
  { name, file, text, replacement, tests, testName = '' }: Mutant,
  read: (file: string) => string,
): string {
  const hash = createHash('sha256');
  for (const part of [
    name,
    file,
    text,
    replacement,
    testName,
    read(file),
    ...tests.flatMap((test) => [test, read(test)]),
  ]) {
    hash.update(`${part.length}:${part}`);
  }
  return hash.digest('hex');
}
