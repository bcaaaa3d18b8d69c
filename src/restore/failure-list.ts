import type { ErrorCode, HoldfastError } from '../base/errors/errors.ts';
import { MAX_FAILURES, type RestoreFailure } from './types.ts';

/** Collects failures: the first ones by name, all of them by number. */
export class FailureList {
  readonly #named: RestoreFailure[] = [];
  readonly #files = new Set<string>();
  #otherFiles = 0;
  #last: string | undefined;
  #total = 0;

  add(path: string, reason: ErrorCode, chunk?: string, detail?: string): void {
    this.#total += 1;
    if (this.#named.length < MAX_FAILURES) {
      this.#named.push({ path, chunk, reason, detail });
      this.#files.add(path);
    } else if (path !== this.#last && !this.#files.has(path)) this.#otherFiles += 1;
    this.#last = path;
  }

  /** Adds an error with its code and details. @param detail instead of its reason */
  addError(path: string, { code, details }: HoldfastError, detail?: string): void {
    const chunk = 'chunk' in details ? details.chunk : undefined;
    const reason = 'reason' in details ? details.reason : undefined;
    this.add(path, code, chunk, detail ?? reason);
  }

  get named(): readonly RestoreFailure[] {
    return this.#named;
  }

  /** Number of files with failures. A file may have several; those of one that is not named are added together. */
  get files(): number {
    return this.#files.size + this.#otherFiles;
  }

  get total(): number {
    return this.#total;
  }
}
