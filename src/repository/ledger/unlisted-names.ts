import { CHECKPOINTS_FOLDER, LEDGER_FOLDER, parseLedgerName } from '../../format/repository/file-names.ts';
import type { LedgerTable } from '../projection/ledgers.ts';
import { isUnreadableProblem, UnlistedFiles } from '../../storage/unreadable.ts';

/** What listings of the ledgers could not show. */
export class UnlistedNames extends UnlistedFiles {
  /** Prefixes that were listed. */
  readonly #listed: string[] = [LEDGER_FOLDER];

  listed(folder: string): void {
    this.#listed.push(folder);
  }

  /** Records them, and forgets those that are listed again. */
  record(ledgers: LedgerTable, now: number): void {
    for (const { file, problem } of ledgers.damage()) {
      const isListed = this.#listed.some((folder) => `${file}/`.startsWith(folder));
      const isFolder = parseLedgerName(file) === undefined && isUnreadableProblem(problem);
      if (isFolder && isListed && this.problems.get(file) !== problem) ledgers.clearDamage(file);
    }
    for (const [name, problem] of this.problems) ledgers.recordDamage(name, problem, now);
  }
}

/** Returns whether the name is that of a folder of ledgers, or of something else in one that could not be listed. */
export function isLedgerFolder(name: string): boolean {
  return [LEDGER_FOLDER, CHECKPOINTS_FOLDER].some((folder) => `${name}/`.startsWith(folder));
}
