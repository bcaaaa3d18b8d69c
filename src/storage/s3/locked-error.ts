/** A file that is locked cannot be deleted before then, in milliseconds since the epoch. */
export class LockedError extends Error {
  override readonly name = 'LockedError';
  readonly until: number;

  constructor(until: number, cause: unknown) {
    super('the file is locked', { cause });
    this.until = until;
  }
}
