import type { DataSet } from '../data-sets/data-set.ts';
import type { Tool, ToolName } from '../tools/tool.ts';

/** One data set, and what every tool does with it in each round, in this order and with a repository of its own. */
export interface Workload {
  readonly name: string;
  readonly data: DataSet;
  readonly tools: readonly Tool[];
  /** Whose times the others are compared with. */
  readonly baseline?: ToolName;
  /** Repository and restores lie in memory, where the state of a file system would swamp the difference. */
  readonly inMemory?: boolean;
  /** Where all bytes go through a link: its rate. */
  readonly linkBytesPerSecond?: number;
  readonly steps: readonly Step[];
}

/** A step is measured when its id was asked for; steps that nobody asked for and none depends on are passed over. */
export type Step = BackupStep | RestoreStep | ListStep;

interface BackupStep {
  readonly kind: 'backup';
  readonly id: string;
  readonly title: string;
  /** The first backup, without which there is nothing to do for the others. */
  readonly needed?: true;
  /** What happens to the data before; it is undone at the end of the round. */
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
  /** Relative to the source; '' is the source itself. */
  readonly folder: string;
}
