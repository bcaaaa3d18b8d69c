import type { SubjectOptions } from '../subject.ts';

/** A service that a test has started. */
export interface Target {
  readonly options: SubjectOptions;
  close(): Promise<void>;
}

/** The machine's time, which can be moved forward. */
export class MovableClock {
  #ahead = 0;

  now = (): number => Date.now() + this.#ahead;

  elapse = async (seconds: number): Promise<void> => {
    this.#ahead += seconds * 1000;
  };
}
