import { create } from 'zustand';

export type Part = 'general' | 'account' | 'security' | 'network' | 'about';

interface Opened {
  /** The tab to show; `undefined` for the usual one. */
  readonly part: Part | undefined;
}

export const useOpenedPart = create<Opened>(() => ({ part: undefined }));

/** Selects the tab that the settings show next, from anywhere in the window. */
export function openPart(part: Part | undefined): void {
  useOpenedPart.setState({ part });
}
