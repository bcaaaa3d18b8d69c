import { caller } from '../../base/calls/caller.ts';
import { view, windowMethods } from '../../ipc/contract/contract.ts';
import type { View, WindowMethods } from '../../ipc/contract/contract.ts';
import type { Call } from '../../base/calls/method.ts';
import { appState } from '../../ipc/state.ts';
import type { AppState } from '../../ipc/state.ts';
import type { Port } from '../../ipc/window-port.ts';

declare global {
  interface Window {
    readonly holdfastPort: Port;
  }
}

/** Asks the main process or, through it, the agent. Rejects with a `HoldfastError`. */
export const call: Call<WindowMethods> = caller(windowMethods, (name, input) => window.holdfastPort.call(name, input));

/** The state now, and from then on whenever it has changed; answers what ends it. */
export function onState(listener: (state: AppState) => void): () => void {
  return window.holdfastPort.onState((state) => listener(appState.parse(state)));
}

/** Where the main process wants the window to go, from the tray or a notification. */
export function onShow(listener: (wanted: View) => void): () => void {
  return window.holdfastPort.onShow((wanted) => listener(view.parse(wanted)));
}
