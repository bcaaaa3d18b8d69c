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
  | {
      readonly kind: 'ended';
      readonly file: string;
      readonly seconds: number;
      readonly tests: readonly TestResult[];
    };

/** Outcome of one file; without tests if its process hung or died. */
export interface FileResult {
  readonly file: string;
  readonly seconds: number;
  readonly tests: readonly TestResult[];
  readonly problem?: 'hung' | 'died';
}
