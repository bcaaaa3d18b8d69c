/** Channels between the main process and a window. */
export const CHANNELS = { call: 'holdfast:call', state: 'holdfast:state', show: 'holdfast:show' } as const;

/** The object that the preload script adds to a window as `window.holdfastPort`: it carries unchecked values. */
export interface Port {
  readonly call: (name: string, input: unknown) => Promise<unknown>;
  readonly onState: (listener: (state: unknown) => void) => () => void;
  readonly onShow: (listener: (view: unknown) => void) => () => void;
}
