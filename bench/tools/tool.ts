import type { SlowLink } from '../network/slow-link.ts';

/** A command line, with what is added to the environment. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The working folder, where it matters. */
  readonly directory?: string;
}

export type ToolName = 'holdfast' | 'holdfast-http' | 'holdfast-link' | 'restic' | 'borg';

/** A backup program, compared with others. */
export interface Tool {
  readonly name: ToolName;
  readonly label: string;
  /** What to do so that it can run here; undefined when it can. */
  missing(): string | undefined;
  version(): string;
  /**
   * Makes an empty repository, which is not measured.
   *
   * @param place an empty folder for all that the program writes
   * @param source the folder that will be backed up
   */
  open(place: string, source: string): Promise<Store>;
}

/** A repository of one tool, of one round. */
export interface Store {
  /** The folder whose files are what is stored. */
  readonly repository: string;
  /** The link that everything passes over. */
  readonly link?: SlowLink;
  /** A service in another process that works for the commands. */
  readonly servicePid?: number;
  /** Backs the source up as it is now. */
  backup(): Command;
  /** Restores the latest backup. `to` exists and is empty. */
  restore(to: string): Command;
  /** Where in `to` the source's content is after that. */
  restored(to: string): string;
  /** Lists what the latest backup holds directly in the folder, given relative to the source; '' for the source. */
  list(folder: string): Command;
  close(): Promise<void>;
}
