export const ERASURE_SCOPES = ['set', 'device', 'member', 'account'] as const;
export type ErasureScope = (typeof ERASURE_SCOPES)[number];

/** What is erased, by identifiers only. */
export interface ErasureTarget {
  readonly accountId: string;
  readonly scope: ErasureScope;
  /** The number of the set, or the id of the device, member or account. */
  readonly target: string;
}

export interface Erasure extends ErasureTarget {
  readonly id: string;
  /** The user's id; `undefined` for the operator. */
  readonly requestedBy: string | undefined;
  readonly requestedAt: number;
  /** Nothing is erased before. */
  readonly dueAt: number;
  readonly erasedAt: number | undefined;
}

/** The sets and devices that belong to an erasure's target at present. */
export interface ErasedParts {
  readonly devices: readonly string[];
  readonly sets: readonly number[];
}

/** The name of a set with its device. */
export interface NamedSet {
  readonly number: number;
  readonly deviceId: string;
  readonly name: string;
}

/** Identifiers and names of what is erased, as the bodies of deliveries contain them. */
export interface ErasedNames {
  readonly devices: readonly string[];
  readonly sets: readonly NamedSet[];
  readonly members: readonly string[];
}
