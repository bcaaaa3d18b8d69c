/** The computer's power source. */
export interface Power {
  /** `undefined` if unknown. */
  readonly onBattery: boolean | undefined;
  /** Charge of the battery, 0 to 100; `undefined` without a battery. */
  readonly percent: number | undefined;
}

export interface PowerState {
  read(): Promise<Power>;
}

export interface Presence {
  /** Seconds since a person last used the computer; `undefined` if unknown. */
  idleSeconds(): Promise<number | undefined>;
}

/** CPU priority of a run's work. */
export interface PriorityControl {
  /** Lowers the run's threads, including those started since the last call. Returns whether any is lowered. */
  lower(): boolean;
  /** Returns whether all priorities are restored. Some systems do not allow that. */
  restore(): boolean;
}

export const UNKNOWN_POWER: Power = { onBattery: undefined, percent: undefined };
