import { deriveSubKey, type MasterKey } from '../../engine/crypto/keys.ts';

/** The keys of a repository, derived from the master key as docs/repository.md says; 32 bytes each. */
export interface RepositoryKeys {
  /** Seals the tables of packs. */
  readonly pack: Uint8Array;
  /** Seals segments and checkpoints. */
  readonly ledger: Uint8Array;
  /** Proves the description. */
  readonly description: Uint8Array;
}

export function deriveRepositoryKeys(master: MasterKey): RepositoryKeys {
  return {
    pack: deriveSubKey(master, 'pack'),
    ledger: deriveSubKey(master, 'ledger'),
    description: deriveSubKey(master, 'description'),
  };
}
