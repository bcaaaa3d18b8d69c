import type { BackupStats } from '../../../protocol/backup.ts';
import { DAMAGED, INTACT, RANDOM } from '../../chunk/content-probe.ts';
import { hasKnownExtension } from '../../chunk/format-check.ts';
import type { ServiceClient } from '../../../remote/ports.ts';
import { isSuspiciousName, isOwnEncryption } from './suspicious-name.ts';

/** A file that is new or whose content changed. */
export interface ContentChange {
  readonly name: string;
  /** Flags of content-probe.ts. */
  readonly signs: number;
  /** True if the previous version had content. */
  readonly hadContent: boolean;
  readonly isEmpty: boolean;
}

/** Signs of ransomware in a run's new and changed files. The service evaluates them (`backup.complete.signals`). */
export class ContentSignals {
  #suspiciousNames = 0;
  #incompressibleFiles = 0;
  #damagedFiles = 0;
  #replacedFiles = 0;
  #intactFiles = 0;

  /** Files named as by known ransomware. */
  get suspiciousNames(): number {
    return this.#suspiciousNames;
  }

  /** Files of random-looking bytes in no known compressed format, and archives with a password. */
  get incompressibleFiles(): number {
    return this.#incompressibleFiles;
  }

  /** Changed files whose content is no longer of the format that their extension stands for. */
  get damagedFiles(): number {
    return this.#damagedFiles;
  }

  /** New files of random-looking bytes that have another extension behind a known one, as in `report.docx.qzxv`. */
  get replacedFiles(): number {
    return this.#replacedFiles;
  }

  /** Files whose content is of the format that their extension stands for. */
  get intactFiles(): number {
    return this.#intactFiles;
  }

  /** Counts a file that is new or has changed. */
  add({ name, signs, hadContent, isEmpty }: ContentChange): void {
    const isRandom = (signs & RANDOM) !== 0;
    if (isSuspiciousName(name)) this.#suspiciousNames += 1;
    if (isRandom) this.#incompressibleFiles += 1;
    const isDamaged = (signs & DAMAGED) !== 0 || (isEmpty && hasKnownExtension(name));
    if (hadContent && isDamaged) this.#damagedFiles += 1;
    if (!hadContent && isRandom && hasAppendedExtension(name)) this.#replacedFiles += 1;
    if ((signs & INTACT) !== 0) this.#intactFiles += 1;
  }
}

function hasAppendedExtension(name: string): boolean {
  const dot = name.lastIndexOf('.');
  return dot > 0 && hasKnownExtension(name.slice(0, dot)) && !isOwnEncryption(name);
}

/** The statistics of a completed backup that services with `backup.complete.signals` accept. */
type SignalStatistics = Pick<
  BackupStats,
  'warnings' | 'suspicious_names' | 'incompressible_files' | 'damaged_files' | 'replaced_files' | 'intact_files'
>;

export async function signalStatistics(
  service: Pick<ServiceClient, 'capabilities'>,
  warnings: number,
  signals: ContentSignals,
  signal: AbortSignal | undefined,
): Promise<SignalStatistics> {
  if (!(await service.capabilities(signal)).has('backup.complete.signals')) return {};
  return {
    warnings,
    suspicious_names: signals.suspiciousNames,
    incompressible_files: signals.incompressibleFiles,
    damaged_files: signals.damagedFiles,
    replaced_files: signals.replacedFiles,
    intact_files: signals.intactFiles,
  };
}
