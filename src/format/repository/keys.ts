import {
  deriveSubKey,
  deriveSubKeys,
  keyIdOf,
  keyRingOf,
  type EpochKeys,
  type KeyRing,
  type MasterKey,
} from '../crypto/keys.ts';

/** Proves a description of one master key. */
export interface DescriptionKey {
  /** `keyIdOf` the master key. */
  readonly keyId: string;
  /** 32 bytes. */
  readonly macKey: Uint8Array;
}

/** The keys of a repository, derived from the master keys as docs/repository.md says; 32 bytes each. */
export interface RepositoryKeys {
  /** Seal the tables of packs. */
  readonly pack: EpochKeys;
  /** Seal segments and checkpoints. */
  readonly ledger: EpochKeys;
  /** Prove the description, which is of the key that the repository was created with. */
  readonly descriptions: readonly DescriptionKey[];
}

/** @param key a ring, or the master key of an account that never rotated */
export function deriveRepositoryKeys(key: MasterKey | KeyRing): RepositoryKeys {
  const ring = keyRingOf(key);
  return {
    pack: deriveSubKeys(ring, 'pack'),
    ledger: deriveSubKeys(ring, 'ledger'),
    descriptions: ring.map(({ master }) => descriptionKeyOf(master)),
  };
}

export function descriptionKeyOf(master: MasterKey): DescriptionKey {
  return { keyId: keyIdOf(master), macKey: deriveSubKey(master, 'description') };
}
