import { useCallback, useEffect, useRef, useState } from 'react';

/** @param isShown whether what started the work is still shown: a late answer must not lead a person away who has moved on */
export type Work = (isShown: () => boolean) => Promise<unknown>;

export interface Action {
  readonly isPending: boolean;
  /** The error of the last run; `undefined` while it runs and after it succeeded. */
  readonly failure: unknown;
  /** Runs the work, unless an earlier run is still pending. */
  readonly run: (work: Work) => void;
  readonly clear: () => void;
}

/** State of something that a person starts: whether it is pending, and how it failed. */
export function useAction(): Action {
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const isBusy = useRef(false);
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const run = useCallback((work: Work) => {
    if (isBusy.current) return;
    isBusy.current = true;
    setPending(true);
    setFailure(undefined);
    work(() => isShown.current)
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
