import { hkdfSync, randomBytes } from 'node:crypto';

/** The master key: 32 random bytes, made once per account and never sent anywhere. */
export type MasterKey = Uint8Array;

export const MASTER_KEY_BYTES = 32;

/** What the engine works with; derived from the master key as docs/format.md says. */
export interface Keys {
  readonly chunk: Uint8Array;
  /** 64 bytes, for AES-SIV. */
  readonly path: Uint8Array;
  readonly tree: Uint8Array;
  /** Names the master key without telling anything about it; equal for equal keys. Hex. */
  readonly id: string;
}

export function newMasterKey(): MasterKey {
  return randomBytes(MASTER_KEY_BYTES);
}

/** For the copy of the metadata that lies beside the blobs of a bucket; derived as the others. 32 bytes. */
export function deriveMetadataKey(master: MasterKey): Uint8Array {
  return Buffer.from(hkdfSync('sha256', master, new Uint8Array(0), 'holdfast/v1/metadata-copy', 32));
}

/** Sub-keys by HKDF-SHA256 (RFC 5869) with an empty salt; one `info` for each purpose. */
export function deriveKeys(master: MasterKey): Keys {
  if (master.length !== MASTER_KEY_BYTES) throw new RangeError(`a master key has ${MASTER_KEY_BYTES} bytes`);
  const derive = (purpose: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', master, new Uint8Array(0), `holdfast/v1/${purpose}`, bytes));
  return {
    chunk: derive('chunk', 32),
    path: derive('path', 64),
    tree: derive('tree', 32),
    id: derive('key-id', 16).toString('hex'),
  };
}
