/** What the computer draws its power from. */
export interface Power {
  /** Nothing where the system does not say. */
  readonly onBattery: boolean | undefined;
  /** Charge of the battery, 0 to 100; nothing where there is none. */
  readonly percent: number | undefined;
}

export interface PowerState {
  read(): Promise<Power>;
}

export interface Presence {
  /** Seconds since a person last touched the computer; nothing where the system does not say. */
  idleSeconds(): Promise<number | undefined>;
}

/** How much of the processor the work of a run gets when others want it too. */
export interface PriorityControl {
  /** Lowers what works for the run, and what began to since the last call. Answers whether anything is lowered. */
  lower(): boolean;
  /** Answers whether everything is as it was; some systems do not let a thread be raised again. */
  restore(): boolean;
}

export const UNKNOWN_POWER: Power = { onBattery: undefined, percent: undefined };
