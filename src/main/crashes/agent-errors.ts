import type { Crash } from './crash-reports.ts';

/** An error is written in several parts, and its last ones may arrive after the end of the process. */
const QUIET_MS = 300;
const MOST_CHARACTERS = 64 * 1024;
const STACK = /^\s+at /m;

/** Makes crash reports of what the agent writes to its error output, and of its end. */
export class AgentErrors {
  readonly #report: (crash: Crash) => void;
  #output = '';
  #end: { readonly exitCode: number | undefined } | undefined;
  #quiet: NodeJS.Timeout | undefined;

  constructor(report: (crash: Crash) => void) {
    this.#report = report;
  }

  /** The process wrote this. Without a stack it is no bug. */
  wrote(text: string): void {
    this.#output = `${this.#output}${text}`.slice(-MOST_CHARACTERS);
    this.#wait();
  }

  /** The process ended without being asked to. */
  ended(exitCode: number | undefined): void {
    this.#end = { exitCode };
    this.#wait();
  }

  #wait(): void {
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#flush(), QUIET_MS);
  }

  #flush(): void {
    const [output, end] = [this.#output, this.#end];
    this.#output = '';
    this.#end = undefined;
    if (end) this.#report({ part: 'agent', reason: 'ended', exitCode: end.exitCode, output });
    else if (STACK.test(output)) this.#report({ part: 'agent', reason: 'error', output });
  }
}
