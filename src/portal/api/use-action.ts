import { useState } from 'react';
import { asPortalFailure } from './failure.ts';
import type { PortalFailure } from './failure.ts';

export interface Action {
  readonly isPending: boolean;
  readonly failure: PortalFailure | undefined;
  /** Does it, unless it is being done; what goes wrong is in `failure` then. */
  readonly run: (work: () => Promise<void>) => void;
}

/** Something that a person asks for and that may go wrong. */
export function useAction(): Action {
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<PortalFailure>();
  const run = (work: () => Promise<void>): void => {
    if (isPending) return;
    setPending(true);
    setFailure(undefined);
    work()
      .catch((error: unknown) => setFailure(asPortalFailure(error)))
      .finally(() => setPending(false));
  };
  return { isPending, failure, run };
}
