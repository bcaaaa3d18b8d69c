import type { BackupStats } from '../../../protocol/backup.ts';
import type { ServiceClient } from '../../transfer/ports.ts';
import { isSuspiciousName } from './suspicious-name.ts';

/** Signs of ransomware in a run's new and changed files. The service evaluates them (`backup.complete.signals`). */
export class ContentSignals {
  #suspiciousNames = 0;
  #incompressibleFiles = 0;

  /** Files named as by known ransomware. */
  get suspiciousNames(): number {
    return this.#suspiciousNames;
  }

  /** Files of random-looking bytes in no known compressed format. */
  get incompressibleFiles(): number {
    return this.#incompressibleFiles;
  }

  /** Counts a file that is new or has changed. */
  add(name: string, looksEncrypted: boolean): void {
    if (isSuspiciousName(name)) this.#suspiciousNames += 1;
    if (looksEncrypted) this.#incompressibleFiles += 1;
  }
}

/** Returns the statistics of a completed backup that services with `backup.complete.signals` accept. */
export async function signalStatistics(
  service: Pick<ServiceClient, 'capabilities'>,
  warnings: number,
  signals: ContentSignals,
  signal: AbortSignal | undefined,
): Promise<Pick<BackupStats, 'warnings' | 'suspicious_names' | 'incompressible_files'>> {
  if (!(await service.capabilities(signal)).has('backup.complete.signals')) return {};
  return {
    warnings,
    suspicious_names: signals.suspiciousNames,
    incompressible_files: signals.incompressibleFiles,
  };
}
