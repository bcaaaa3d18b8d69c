import type { SubjectOptions } from '../subject.ts';

/** A service that a test started. */
export interface Target {
  readonly options: SubjectOptions;
  close(): Promise<void>;
}

/** The system time with an offset that tests can increase. */
export class MovableClock {
  #ahead = 0;

  now = (): number => Date.now() + this.#ahead;

  elapse = async (seconds: number): Promise<void> => {
    this.#ahead += seconds * 1000;
  };
}
