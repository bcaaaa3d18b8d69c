import type { OperationName } from '../../operations/table.ts';

/** The values of an input that may change while the operation works: in the host they are functions. */
export type CurrentValues = Readonly<Record<string, unknown>>;

/** The operation that a thread is started for. */
export interface RunOrder {
  readonly name: OperationName;
  /** The rest of the input. */
  readonly input: object;
  readonly current: CurrentValues;
  /** What the operation gets besides its input, without functions and the signal, which is that of the call. */
  readonly run: object;
  /** The names of those functions. */
  readonly listeners: readonly string[];
}

/** The data that the thread is started with. */
export interface RunThreadSetup {
  /** The home's folder. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The id of the destination. The first by default. */
  readonly destination: string | undefined;
}

/** The calls of a run's thread. */
export interface RunThreadCalls {
  /** Returns the result of the operation; the thread ends after it. */
  perform(order: RunOrder): unknown;
  setCurrent(values: CurrentValues): void;
}

export interface RunThreadEvents {
  /** The operation has called one of the functions. */
  readonly told: { readonly listener: string; readonly values: readonly unknown[] };
  /** The difference between the service's clock and ours, in milliseconds; 0 when ours is right enough. */
  readonly skew: number;
}
