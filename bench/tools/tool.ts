import type { SlowLink } from '../network/slow-link.ts';

/** A command line and its additional environment variables. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The working folder, if it matters. */
  readonly directory?: string;
}

export type ToolName =
  | 'holdfast'
  | 'holdfast-default'
  | 'holdfast-max'
  | 'holdfast-http'
  | 'holdfast-link'
  | 'restic'
  | 'restic-auto'
  | 'restic-max'
  | 'borg'
  | 'borg-lz4'
  | 'borg-zstd';

/** A backup program to compare with others. */
export interface Tool {
  readonly name: ToolName;
  readonly label: string;
  /** How to make it run here; `undefined` if it can. */
  missing(): string | undefined;
  version(): string;
  /**
   * Creates an empty repository. This is not measured.
   *
   * @param place an empty folder for everything that the program writes
   * @param source the folder that will be backed up
   */
  open(place: string, source: string): Promise<Store>;
}

/** The repository of one tool in one round. */
export interface Store {
  /** The folder that contains the stored data. */
  readonly repository: string;
  /** The link that all traffic uses. */
  readonly link?: SlowLink;
  /** The process of a service that the commands use. */
  readonly servicePid?: number;
  /** Backs up the current source. */
  backup(): Command;
  /** Restores the latest backup into the existing empty folder `to`. */
  restore(to: string): Command;
  /** The path in `to` of the restored source. */
  restored(to: string): string;
  /** Lists what the latest backup holds directly in the folder, given relative to the source; '' for the source. */
  list(folder: string): Command;
  close(): Promise<void>;
}
