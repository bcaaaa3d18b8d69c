import type { DataSet } from '../data-sets/data-set.ts';
import type { Tool, ToolName } from '../tools/tool.ts';

/** One data set, and the steps that every tool runs on it in each round, in this order and with its own repository. */
export interface Workload {
  readonly name: string;
  readonly data: DataSet;
  readonly tools: readonly Tool[];
  /** The tool that the others are compared with. */
  readonly baseline?: ToolName;
  /** Keeps repository and restores in memory if the state of the file system would dominate the difference. */
  readonly inMemory?: boolean;
  /** The rate of the link that all bytes use, if there is one. */
  readonly linkBytesPerSecond?: number;
  readonly steps: readonly Step[];
}

/** A step is measured if its id was requested; other steps run only if a requested one depends on them. */
export type Step = BackupStep | RestoreStep | ListStep;

interface BackupStep {
  readonly kind: 'backup';
  readonly id: string;
  readonly title: string;
  /** The first backup, which all other steps require. */
  readonly needed?: true;
  /** Changes the data before the step; undone at the end of the round. */
  readonly change?: Change;
}

interface Change {
  /** @param folder the folder of the data, in which the source lies */
  readonly apply: (folder: string) => void;
  readonly undo: (folder: string) => void;
}

interface RestoreStep {
  readonly kind: 'restore';
  readonly id: string;
  readonly title: string;
}

interface ListStep {
  readonly kind: 'list';
  readonly id: string;
  readonly title: string;
  /** Relative to the source; '' means the source itself. */
  readonly folder: string;
}
