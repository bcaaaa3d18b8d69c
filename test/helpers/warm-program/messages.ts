/** A start of the program. */
export interface Command {
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The working folder. */
  readonly folder: string;
  /** Written to stdout and stderr at the end of the command. */
  readonly mark: string;
}

export interface Answer {
  readonly exitCode: number;
  /** What the command left behind in the process, which has ended then. */
  readonly left: readonly string[];
}
