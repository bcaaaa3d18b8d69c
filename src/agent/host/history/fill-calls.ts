/** The call of the thread that fills the history. */
export interface FillCalls {
  /** Adds what this computer's sets have at all destinations. Returns whether each of them could be asked. The thread ends after it. */
  fill(input: undefined): boolean;
}

export interface FillThreadSetup {
  /** The home's folder. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}
