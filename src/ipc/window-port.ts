/** Channels between the main process and a window. */
export const CHANNELS = { call: 'holdfast:call', state: 'holdfast:state', show: 'holdfast:show' } as const;

/** The argument of a window's process with the languages of the system, separated by commas. */
export const LANGUAGES_ARGUMENT = '--holdfast-languages=';

/** The object that the preload script adds to a window as `window.holdfastPort`: it carries unchecked values. */
export interface Port {
  /** The languages of the system (BCP 47), the preferred first. */
  readonly languages: readonly string[];
  readonly call: (name: string, input: unknown) => Promise<unknown>;
  readonly onState: (listener: (state: unknown) => void) => () => void;
  readonly onShow: (listener: (view: unknown) => void) => () => void;
}
