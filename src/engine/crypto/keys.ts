/** The master key: 32 random bytes, made once per account and never sent anywhere. */
export type MasterKey = Uint8Array;

/** What the engine works with; derived from the master key as docs/format.md says. */
export interface Keys {
  readonly chunk: Uint8Array;
  /** 64 bytes, for AES-SIV. */
  readonly path: Uint8Array;
  readonly tree: Uint8Array;
  /** Names the master key without telling anything about it; equal for equal keys. Hex. */
  readonly id: string;
}
