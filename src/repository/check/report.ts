import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { DamageProblem } from '../../format/repository/damage.ts';
import type { TreeFooter } from '../../format/tree/record.ts';
import type { Point } from '../projection/points.ts';

/** The most findings, and the most losses, that a report lists. */
export const MOST_LISTED = 10_000;

/** A file of the repository that is damaged, missing or named by nothing. */
export interface Finding {
  /** Name in the repository. */
  readonly file: string;
  readonly problem: DamageProblem;
  /** True if a repair makes the file whole again by its parity. */
  readonly isMendable?: true;
}

/** A restore point, as people know it. */
export interface PointName {
  /** Id of the device, and its name if a ledger states it. */
  readonly device: string;
  readonly deviceName: string | undefined;
  readonly set: string;
  /** ISO 8601. */
  readonly time: string;
}

/** A version of a file, as far as a file on a disk can be compared with it. */
export interface LostVersion {
  readonly size: number;
  /** Nanoseconds since the epoch, in decimal. */
  readonly mtimeNs: string;
}

/** What a restore point lacks, as far as its names can be read. */
export interface Loss extends PointName {
  /** Entry path of a file; `undefined` if the whole restore point cannot be read. */
  readonly path: string | undefined;
  /** Entries that are lost from this path on, in order of their paths: more than one if their records cannot be read. */
  readonly entries: number;
  /** The file of the repository that held it, if that is known. */
  readonly file: string | undefined;
  /** Which version of a file is lost, if its record can be read. */
  readonly version?: LostVersion;
}

export interface FileCount {
  readonly files: number;
  readonly bytes: number;
}

export interface BlobCount {
  readonly blobs: number;
  readonly bytes: number;
}

export interface CheckReport {
  /** At most `MOST_LISTED` of them; `findingsTotal` counts all. Damage that was repaired or accepted is not among them. */
  readonly findings: readonly Finding[];
  readonly findingsTotal: number;
  /** At most `MOST_LISTED` of them; `lossesTotal` counts all. */
  readonly losses: readonly Loss[];
  readonly lossesTotal: number;
  /** Lost files: one that several restore points have in the same version counts once. */
  readonly lostFiles: number;
  /** False if the projection differed from the ledgers. A repair builds it anew. */
  readonly isProjectionSound: boolean;
  readonly segments: number;
  readonly checkpoints: number;
  readonly packs: FileCount;
  readonly points: number;
  /** Packs that were read completely. */
  readonly packsRead: FileCount;
  /** Parity of the packs. */
  readonly parity: FileCount;
  /** Restore points that no ledger states, of backups that were killed before they were complete. */
  readonly unfinished: readonly PointName[];
  /** Packs that no segment names, for example of a backup that was killed. */
  readonly unnamed: FileCount;
  /** Files of packs that were deleted or moved aside. */
  readonly leftOver: FileCount;
  /**
   * Pieces of trees, footers and key envelopes that can be read and stand in one pack instead of two: nothing is lost, but the next loss may
   * take them. A repair and every backup store them once more.
   */
  readonly inOnePack: BlobCount;
}

/** Returns whether nothing was found. */
export function isSound({ findingsTotal, lossesTotal, isProjectionSound }: CheckReport): boolean {
  return findingsTotal === 0 && lossesTotal === 0 && isProjectionSound;
}

/** Collects findings and losses; lists the first of each and counts all. */
export class Findings {
  readonly #problems = new Map<string, DamageProblem>();
  readonly #mendable = new Set<string>();
  readonly #losses: Loss[] = [];
  readonly #deviceNames: Map<string, string>;
  #lossesTotal = 0;
  /** Entries that are lost from a path on, by what is the same file in several restore points. */
  readonly #lostFiles = new Map<string, number>();

  /** @param deviceNames by device id */
  constructor(deviceNames: ReadonlyMap<string, string> = new Map()) {
    this.#deviceNames = new Map(deviceNames);
  }

  /** Learns the name of a device from a tree, if no ledger states it. */
  learnName({ deviceId, deviceName }: Pick<TreeFooter, 'deviceId' | 'deviceName'>): void {
    if (deviceName !== undefined && !this.#deviceNames.has(deviceId)) this.#deviceNames.set(deviceId, deviceName);
  }

  /** Adds a file. The first problem of a file counts. */
  add(file: string, problem: DamageProblem): void {
    if (!this.#problems.has(file)) this.#problems.set(file, problem);
  }

  /** Records that a repair makes a file whole again by its parity. */
  markMendable(file: string): void {
    this.#mendable.add(file);
  }

  isMendable(file: string): boolean {
    return this.#mendable.has(file);
  }

  addLoss(
    point: Pick<Point, 'device' | 'set' | 'time'>,
    lost: Pick<Loss, 'path' | 'file' | 'version'> & { readonly entries?: number },
  ): void {
    const { path, file, version, entries = 1 } = lost;
    this.#lossesTotal += entries;
    const key = JSON.stringify([point.device, point.set, path ?? point.time, version?.size, version?.mtimeNs]);
    this.#lostFiles.set(key, Math.max(entries, this.#lostFiles.get(key) ?? 0));
    if (this.#losses.length === MOST_LISTED) return;
    this.#losses.push({ ...this.nameOf(point), path, entries, file, ...(version && { version }) });
  }

  nameOf({ device, set, time }: Pick<Point, 'device' | 'set' | 'time'>): PointName {
    return { device, deviceName: this.#deviceNames.get(device), set, time: formatTimestamp(time) };
  }

  get lossesTotal(): number {
    return this.#lossesTotal;
  }

  has(file: string): boolean {
    return this.#problems.has(file);
  }

  /** All files with problems. */
  get problems(): ReadonlyMap<string, DamageProblem> {
    return this.#problems;
  }

  report(): Pick<CheckReport, 'findings' | 'findingsTotal' | 'losses' | 'lossesTotal' | 'lostFiles'> {
    const findings = Array.from(this.#problems, ([file, problem]): Finding => {
      return this.#mendable.has(file) ? { file, problem, isMendable: true } : { file, problem };
    });
    findings.sort((a, b) => (a.file < b.file ? -1 : 1));
    return {
      findings: findings.slice(0, MOST_LISTED),
      findingsTotal: findings.length,
      losses: this.#losses,
      lossesTotal: this.#lossesTotal,
      lostFiles: this.#lostFiles.values().reduce((sum, entries) => sum + entries, 0),
    };
  }
}
