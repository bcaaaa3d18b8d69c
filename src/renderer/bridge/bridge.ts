import { caller } from '../../base/calls/contract-caller.ts';
import { wanted, windowMethods } from '../../ipc/contract/contract.ts';
import type { Wanted, WindowMethods } from '../../ipc/contract/contract.ts';
import type { Call } from '../../base/calls/contract.ts';
import { appState } from '../../ipc/state.ts';
import type { AppState } from '../../ipc/state.ts';
import type { Port } from '../../ipc/window-port.ts';

declare global {
  interface Window {
    readonly holdfastPort: Port;
  }
}

/** Calls the main process or, through it, the agent. Rejects with a `HoldfastError`. */
export const call: Call<WindowMethods> = caller(windowMethods, (name, input) => window.holdfastPort.call(name, input));

/** Passes the present state and each later one to the listener. Returns a function that ends it. */
export function onState(listener: (state: AppState) => void): () => void {
  return window.holdfastPort.onState((state) => listener(appState.parse(state)));
}

/** Calls the listener when the tray, a notification or a file manager opens a view. */
export function onShow(listener: (asked: Wanted) => void): () => void {
  return window.holdfastPort.onShow((asked) => listener(wanted.parse(asked)));
}
