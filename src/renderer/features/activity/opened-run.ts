import { create } from 'zustand';

interface Opened {
  /** The run whose details are seen; nothing for the list. */
  readonly run: number | undefined;
}

export const useOpenedRun = create<Opened>(() => ({ run: undefined }));

/** What the view of activity shows from now on, wherever in the window it is asked from. */
export function openRun(run: number | undefined): void {
  useOpenedRun.setState({ run });
}
