/** Channels between the main process and a window. */
export const CHANNELS = { call: 'holdfast:call', state: 'holdfast:state', show: 'holdfast:show' } as const;

/** What the preload script puts into a window as `window.holdfastPort`: unchecked values over the channels. */
export interface Port {
  readonly call: (name: string, input: unknown) => Promise<unknown>;
  readonly onState: (listener: (state: unknown) => void) => () => void;
  readonly onShow: (listener: (view: unknown) => void) => () => void;
}
