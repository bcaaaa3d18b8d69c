import { randomBytes } from 'node:crypto';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';

/** The master key: 32 random bytes, made once for each account and never sent anywhere. */
export type MasterKey = Uint8Array;

export const MASTER_KEY_BYTES = 32;

/** The keys of the engine, derived from the master key as docs/format.md says. */
export interface Keys {
  readonly chunk: Uint8Array;
  /** 64 bytes, for AES-SIV. */
  readonly path: Uint8Array;
  readonly tree: Uint8Array;
  /** Identifies the master key without revealing it; hexadecimal. */
  readonly id: string;
}

export function newMasterKey(): MasterKey {
  return randomBytes(MASTER_KEY_BYTES);
}

/** Derives the sub-keys of a master key. */
export function deriveKeys(master: MasterKey): Keys {
  if (master.length !== MASTER_KEY_BYTES) throw new RangeError(`a master key has ${MASTER_KEY_BYTES} bytes`);
  return {
    chunk: derive(master, 'chunk', 32),
    path: derive(master, 'path', 64),
    tree: derive(master, 'tree', 32),
    id: derive(master, 'key-id', 16).toString('hex'),
  };
}

/** Derives a 32-byte sub-key for a purpose outside of the engine. */
export function deriveSubKey(master: MasterKey, purpose: 'pack' | 'ledger' | 'description'): Uint8Array {
  return derive(master, purpose, 32);
}

/** HKDF-SHA256 (RFC 5869) with an empty salt, and one `info` for each purpose. */
function derive(master: MasterKey, purpose: string, bytes: number): Buffer {
  const info = new TextEncoder().encode(`holdfast/v1/${purpose}`);
  return Buffer.from(hkdf(sha256, master, new Uint8Array(0), info, bytes));
}
