import { create } from 'zustand';

interface Opened {
  /** The run whose details are open; `undefined` for the list. */
  readonly run: number | undefined;
}

export const useOpenedRun = create<Opened>(() => ({ run: undefined }));

/** Selects what the activity view shows, from anywhere in the window. */
export function openRun(run: number | undefined): void {
  useOpenedRun.setState({ run });
}
