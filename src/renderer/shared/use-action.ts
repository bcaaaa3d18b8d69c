import { useCallback, useRef, useState } from 'react';
import type { Failure } from '../../base/failure.ts';
import { failureOf } from '../bridge/use-answer.ts';

export interface Action {
  readonly isPending: boolean;
  readonly failure: Failure | undefined;
  /** Does nothing while it is under way. */
  readonly run: (work: () => Promise<unknown>) => void;
  readonly clear: () => void;
}

/** Something that a person sets off: whether it is under way, and how it failed. */
export function useAction(): Action {
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const isBusy = useRef(false);
  const run = useCallback((work: () => Promise<unknown>) => {
    if (isBusy.current) return;
    isBusy.current = true;
    setPending(true);
    setFailure(undefined);
    work()
      .catch((error: unknown) => setFailure(failureOf(error)))
      .finally(() => {
        isBusy.current = false;
        setPending(false);
      });
  }, []);
  const clear = useCallback(() => setFailure(undefined), []);
  return { isPending, failure, run, clear };
}
