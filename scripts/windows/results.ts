/** Outcome of one test. */
export interface TestResult {
  /** Of its suites and itself, separated by ` > `. */
  readonly name: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly error?: string;
}

/** A line that a worker writes. */
export type WorkerLine =
  | { readonly kind: 'started'; readonly file: string }
  | { readonly kind: 'running'; readonly test: string }
  | {
      readonly kind: 'ended';
      readonly file: string;
      readonly seconds: number;
      readonly tests: readonly TestResult[];
    };

/** Outcome of one file. If its process hung or died, the one test is the one that ran then. */
export interface FileResult {
  readonly file: string;
  readonly seconds: number;
  readonly tests: readonly TestResult[];
  readonly problem?: 'hung' | 'died';
}
