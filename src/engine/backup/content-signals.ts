import type { BackupStats } from '../../protocol/backup.ts';
import type { ServiceClient } from '../transfer/ports.ts';
import { isSuspiciousName } from './suspicious-name.ts';

/** What only the agent can see of a run's new and changed files; the service judges it (`backup.complete.signals`). */
export class ContentSignals {
  #suspiciousNames = 0;
  #incompressibleFiles = 0;

  /** Files with names that known ransomware gives. */
  get suspiciousNames(): number {
    return this.#suspiciousNames;
  }

  /** Files whose bytes look random, and that are of no format that is compressed. */
  get incompressibleFiles(): number {
    return this.#incompressibleFiles;
  }

  /** A file that is new, or has another content than before. */
  note(name: string, looksRandom: boolean): void {
    if (isSuspiciousName(name)) this.#suspiciousNames += 1;
    if (looksRandom) this.#incompressibleFiles += 1;
  }
}

/** What complete tells a service that takes it. @param signals none where nothing was read */
export async function signalStats(
  service: Pick<ServiceClient, 'capabilities'>,
  warnings: number,
  signals: ContentSignals | undefined,
  signal: AbortSignal | undefined,
): Promise<Pick<BackupStats, 'warnings' | 'suspicious_names' | 'incompressible_files'>> {
  if (!(await service.capabilities(signal)).has('backup.complete.signals')) return {};
  return {
    warnings,
    suspicious_names: signals?.suspiciousNames ?? 0,
    incompressible_files: signals?.incompressibleFiles ?? 0,
  };
}
