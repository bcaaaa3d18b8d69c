import { randomBytes } from 'node:crypto';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { TreeClaim } from './device-limits.ts';

/** The master key: 32 random bytes, made once for each account and never sent anywhere. */
export type MasterKey = Uint8Array;

export const MASTER_KEY_BYTES = 32;

/** The master key of one epoch. A rotation begins the next one. */
export interface EpochMaster {
  /** From 1. */
  readonly epoch: number;
  readonly master: MasterKey;
}

/**
 * The master keys of an account, the current one first. Two computers that rotated at the same time made two keys of one epoch: then the
 * other one stands among the earlier ones.
 */
export type KeyRing = readonly [EpochMaster, ...EpochMaster[]];

/** A sub-key, or the key of a chunk, of one epoch. */
export interface EpochKey {
  readonly epoch: number;
  readonly key: Uint8Array;
}

/** The sub-keys of one purpose: the first one seals, all of them open. */
export type EpochKeys = readonly [EpochKey, ...EpochKey[]];

/** The largest epoch: blobs state theirs in two bytes. */
export const LAST_EPOCH = 0xffff;

/** The keys of the engine, derived from the master keys as docs/format.md says. */
export interface Keys {
  readonly chunk: EpochKeys;
  /** 64 bytes, for AES-SIV. */
  readonly path: EpochKeys;
  readonly tree: EpochKeys;
  /** Of the records by which restores are undone, which stay on this computer. */
  readonly undo: EpochKeys;
  /** Identifies the current master key without revealing it; hexadecimal. */
  readonly id: string;
  /** `id` of all master keys. */
  readonly ids: readonly string[];
  /** The current epoch. */
  readonly epoch: number;
  /** Returns whether a tree at a service counts that is proven by a key of an earlier epoch. By default all do. */
  readonly admits?: ((tree: TreeClaim) => boolean) | undefined;
}

export function newMasterKey(): MasterKey {
  return randomBytes(MASTER_KEY_BYTES);
}

/** Returns the ring of an account that never rotated. */
export function firstEpoch(master: MasterKey): KeyRing {
  return [{ epoch: 1, master }];
}

/** @param key a ring, or the master key of an account that never rotated */
export function keyRingOf(key: MasterKey | KeyRing): KeyRing {
  return key instanceof Uint8Array ? firstEpoch(key) : key;
}

/** Derives the sub-keys of a ring, or of the master key of an account that never rotated. */
export function deriveKeys(key: MasterKey | KeyRing): Keys {
  const ring = keyRingOf(key);
  const ids = ring.map(({ master }) => keyIdOf(master));
  return {
    chunk: subKeysOf(ring, 'chunk', 32),
    path: subKeysOf(ring, 'path', 64),
    tree: subKeysOf(ring, 'tree', 32),
    undo: subKeysOf(ring, 'undo', 32),
    id: ids[0]!,
    ids,
    epoch: ring[0].epoch,
  };
}

/** Derives the id of a master key, which identifies it without revealing it; hexadecimal. */
export function keyIdOf(master: MasterKey): string {
  if (master.length !== MASTER_KEY_BYTES) throw new RangeError(`a master key has ${MASTER_KEY_BYTES} bytes`);
  let id = keyIds.get(master);
  if (id === undefined) keyIds.set(master, (id = derive(master, 'key-id', 16).toString('hex')));
  return id;
}

/** A derivation takes a millisecond. */
const keyIds = new WeakMap<MasterKey, string>();

/** Derives the 32-byte sub-keys of a ring for a purpose outside of the engine. */
export function deriveSubKeys(ring: KeyRing, purpose: 'pack' | 'ledger'): EpochKeys {
  return subKeysOf(ring, purpose, 32);
}

/** Derives a 32-byte sub-key of one master key. */
export function deriveSubKey(
  master: MasterKey,
  purpose: 'description' | 'envelope' | 'earlier' | 'rotation',
): Uint8Array {
  return derive(master, purpose, 32);
}

/** Returns the keys of an epoch: none if it is not known, several if computers rotated at the same time. */
export function keysOfEpoch(keys: EpochKeys, epoch: number): readonly EpochKey[] {
  return keys.filter((key) => key.epoch === epoch);
}

function subKeysOf([current, ...earlier]: KeyRing, purpose: string, bytes: number): EpochKeys {
  const subKey = ({ epoch, master }: EpochMaster): EpochKey => ({ epoch, key: derive(master, purpose, bytes) });
  return [subKey(current), ...earlier.map(subKey)];
}

/** HKDF-SHA256 (RFC 5869) with an empty salt, and one `info` for each purpose. */
function derive(master: MasterKey, purpose: string, bytes: number): Buffer {
  const info = new TextEncoder().encode(`holdfast/v1/${purpose}`);
  return Buffer.from(hkdf(sha256, master, new Uint8Array(0), info, bytes));
}
