import { failureOf } from '../base/errors/failure.ts';
import { failureText } from './failure-sentences.ts';
import type { Output } from './output.ts';
import { printable } from './text.ts';
import { MINUTE } from '../model/units.ts';

/** For how long the same sentence is not repeated. */
const QUIET_MS = MINUTE;
const MOST_KNOWN = 1000;

/** Failures of a command that goes on, as lines on stderr: each sentence once a minute at most. */
export class ErrorNotes {
  readonly #output: Output;
  readonly #shown = new Map<string, number>();

  constructor(output: Output) {
    this.#output = output;
  }

  add(error: unknown, now: number = Date.now()): void {
    const failure = failureOf(error);
    const words = failure && failureText(failure);
    const text = words ? words.what : error instanceof Error ? error.message : String(error);
    if (now - (this.#shown.get(text) ?? -Infinity) < QUIET_MS) return;
    const [oldest] = this.#shown.keys();
    if (this.#shown.size >= MOST_KNOWN && oldest !== undefined) this.#shown.delete(oldest);
    this.#shown.set(text, now);
    this.#output.note(`warning: ${printable(text)}`);
  }
}
