import type { Failure } from '../base/errors/failure.ts';
import type { JsonList, Outcome } from './outcome.ts';
import { failureText } from './failure-sentences.ts';
import type { LateWarning } from './doubts.ts';
import { printable } from './text.ts';

/** The streams of a command: results go to stdout, everything else to stderr. */
export interface Streams {
  readonly out: NodeJS.WritableStream;
  readonly error: NodeJS.WritableStream & { readonly isTTY?: boolean };
  /** Set by a command that writes an archive to stdout: a reader that ends early has not got what it needs. */
  isArchive?: boolean;
}

/** The number of lines per write; a long list must not cost a system call per line. */
const LINES_PER_WRITE = 512;

/** Plain text, or with `--json` exactly one object on stdout. */
export class Output {
  readonly streams: Streams;
  readonly json: boolean;
  /** Whether the one object of `--json` was written. */
  #isShown = false;
  readonly #late: () => readonly LateWarning[];
  readonly #noted = new Set<string>();

  /** @param late returns further warnings once everything that is shown was read */
  constructor(streams: Streams, json: boolean, late: () => readonly LateWarning[] = () => []) {
    this.streams = streams;
    this.json = json;
    this.#late = late;
  }

  async show(outcome: Outcome): Promise<void> {
    if (this.json) {
      await this.#showJson(outcome);
      return;
    }
    await this.#writeLines(outcome.lines);
    for (const warning of outcome.warnings ?? []) this.note(`warning: ${warning}`);
    this.#noteLate();
  }

  /** Shows the result of a command that goes on: scripts wait for it. */
  showNow(value: object, line: string): void {
    if (this.json) this.#writeObject(withWarnings(value, this.#late()));
    else this.streams.out.write(`${line}\n`);
    this.#noteLate();
  }

  /** Writes each once, also where the result was shown while the command goes on. */
  #noteLate(): void {
    for (const { text } of this.#late()) {
      if (!this.#noted.has(text)) this.note(`warning: ${text}`);
      this.#noted.add(text);
    }
  }

  showInterruption(): void {
    this.showFailure({ code: 'interrupted', details: {} });
  }

  /** Writes the object of a command that ends at once, unless it was written. An archive on stdout is none. */
  endAtOnce(): void {
    if (this.json && !this.#isShown && this.streams.isArchive !== true) this.showInterruption();
  }

  /** Writes a line for people; nothing with `--json`. */
  note(line: string): void {
    if (!this.json) this.streams.error.write(`${line}\n`);
  }

  showFailure(failure: Failure): void {
    const { code, details } = failure;
    const { what, todo } = failureText(failure);
    if (this.json)
      this.#writeObject(withWarnings({ error: { code, message: `${what} ${todo}`, details } }, this.#late()));
    else this.streams.error.write(`holdfast: ${printableLines(what)}\n${' '.repeat(10)}${printableLines(todo)}\n`);
    this.#noteLate();
  }

  /** A mistake in the command line, in the words of the parser that found it. */
  showUsage(message: string, command: string): void {
    if (this.json) this.#writeObject({ error: { code: 'usage', message } });
    else this.streams.error.write(`holdfast: ${message}\n${' '.repeat(10)}See: ${command} --help\n`);
  }

  /** Shows an unexpected error. Its stack is for developers only. */
  showBug(error: unknown, environment: NodeJS.ProcessEnv): void {
    const message = printable(error instanceof Error ? error.message : String(error));
    const what = `This is a bug in Holdfast: ${message}`;
    const todo = 'Please report it with the command that you ran; no backup was harmed. HOLDFAST_DEBUG=1 shows more.';
    if (this.json) this.#writeObject({ error: { code: 'internal', message: `${what}. ${todo}` } });
    else this.streams.error.write(`holdfast: ${what}\n${' '.repeat(10)}${todo}\n`);
    if (environment['HOLDFAST_DEBUG'] === '1' && error instanceof Error) this.streams.error.write(`${error.stack}\n`);
  }

  async #showJson({ json }: Outcome): Promise<void> {
    if (json.kind === 'object') this.#writeObject(withWarnings(json.value, this.#late()));
    if (json.kind === 'list') await this.#writeList(json.list);
  }

  #writeObject(value: object): void {
    this.#isShown = true;
    this.streams.out.write(`${JSON.stringify(value)}\n`);
  }

  /** Collects everything before writing: after a failure in the middle, the error has to be the only object on stdout. */
  async #writeList({ name, batches, rest = {} }: JsonList): Promise<void> {
    const parts: Buffer[] = [];
    for await (const batch of batches()) {
      if (batch.length === 0) continue;
      const text = batch.map((item) => JSON.stringify(item)).join(',');
      parts.push(Buffer.from(parts.length === 0 ? text : `,${text}`));
    }
    this.#isShown = true;
    this.streams.out.write(`{${JSON.stringify(name)}:[`);
    for (const part of parts) await this.#write(part);
    const others = JSON.stringify(withWarnings(rest, this.#late())).slice(1);
    this.streams.out.write(`]${others === '}' ? '' : ','}${others}\n`);
  }

  async #writeLines(lines: Outcome['lines']): Promise<void> {
    let waiting: string[] = [];
    for await (const line of lines) {
      waiting.push(line);
      if (waiting.length < LINES_PER_WRITE) continue;
      await this.#write(`${waiting.join('\n')}\n`);
      waiting = [];
    }
    if (waiting.length > 0) await this.#write(`${waiting.join('\n')}\n`);
  }

  #write(data: string | Buffer): Promise<void> {
    return new Promise((resolve) => {
      if (this.streams.out.write(data)) resolve();
      else this.streams.out.once('drain', resolve);
    });
  }
}

/** Adds late warnings to those that an object has. */
function withWarnings(value: object, late: readonly LateWarning[]): object {
  if (late.length === 0) return value;
  const { warnings = [] } = value as { readonly warnings?: readonly unknown[] };
  return { ...value, warnings: [...warnings, ...late.map(({ json }) => json)] };
}

/** Sentences may have lines of their own; names in them may not. */
function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}
