/** The ways in which a file of a repository can be wrong. */
export type DamageProblem =
  /** It is listed or referred to, but cannot be read. */
  | 'missing'
  /** Its disk, or the store, fails to read it. */
  | 'unreadable'
  /** The store does not permit this computer to read it. */
  | 'denied'
  /** Its bytes have another SHA-256 than its name says. */
  | 'hash'
  /** It does not open under our key: altered, or written under another one. */
  | 'sealed'
  /** It opens, but its content is malformed. */
  | 'content'
  /** It is sealed under a later key than this computer has. */
  | 'later-key'
  /** A computer wrote it under an earlier key that was removed, or was not known, when the key changed. */
  | 'revoked'
  /** Its signature is not of the device in its name. */
  | 'signature'
  /** It is larger than any program writes. */
  | 'size'
  /** It has another length than the ledger states. */
  | 'length'
  /** No readable segment names it, although it has a restore point that no ledger states. */
  | 'unnamed'
  /** Somebody deleted it, and the store still has it. */
  | 'hidden'
  /** A newer program wrote it. */
  | 'newer-version';

/** A file of a repository is damaged. It is refused by itself; the caller records it and goes on with the others. */
export class DamagedFileError extends Error {
  override readonly name = 'DamagedFileError';
  /** Name of the file in the repository. */
  readonly file: string;
  readonly problem: DamageProblem;

  constructor(file: string, problem: DamageProblem, cause?: unknown) {
    super(`${file}: ${problem}`, { cause });
    this.file = file;
    this.problem = problem;
  }
}
