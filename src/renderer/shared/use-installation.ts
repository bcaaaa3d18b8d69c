import { useState } from 'react';
import { useAction } from '../../ui/requests/use-action.ts';
import { call } from '../bridge/bridge.ts';

interface Installation {
  readonly isPending: boolean;
  readonly failure: unknown;
  /** The last attempt was refused because of a run, which may be one of the command line that the window does not know. */
  readonly isHeldUp: boolean;
  readonly install: () => void;
}

/** Ends the program and starts the version that was downloaded, or that a package manager has put in its place. */
export function useInstallation(): Installation {
  const { isPending, failure, run } = useAction();
  const [isHeldUp, setHeldUp] = useState(false);
  const install = (): void => {
    setHeldUp(false);
    run(async () => setHeldUp(!(await call('update.install', {})).isStarted));
  };
  return { isPending, failure, isHeldUp, install };
}
