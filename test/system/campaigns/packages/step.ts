/** Something of each of the two versions. */
export interface Versions {
  readonly older: string;
  readonly newer: string;
}

/** A step of a campaign: its work returns what it has found, for the report, and throws if something is wrong. */
export type Step = readonly [name: string, work: () => Promise<unknown>];
