import { useCallback, useRef, useState } from 'react';

export interface Action {
  readonly isPending: boolean;
  /** The error of the last run; `undefined` while it runs and after it succeeded. */
  readonly failure: unknown;
  /** Runs the work, unless an earlier run is still pending. */
  readonly run: (work: () => Promise<unknown>) => void;
  readonly clear: () => void;
}

/** State of something that a person starts: whether it is pending, and how it failed. */
export function useAction(): Action {
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const isBusy = useRef(false);
  const run = useCallback((work: () => Promise<unknown>) => {
    if (isBusy.current) return;
    isBusy.current = true;
    setPending(true);
    setFailure(undefined);
    work()
      // A function would be taken for an updater of the state.
      .catch((error: unknown) => setFailure(() => error))
      .finally(() => {
        isBusy.current = false;
        setPending(false);
      });
  }, []);
  const clear = useCallback(() => setFailure(undefined), []);
  return { isPending, failure, run, clear };
}
