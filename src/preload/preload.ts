import { contextBridge, ipcRenderer } from 'electron';
import { CHANNELS } from '../ipc/window-port.ts';
import type { Port } from '../ipc/window-port.ts';

type Listener = (value: unknown) => void;

/** What is sent on a channel; who listens later gets the newest. */
class Channel {
  readonly #listeners = new Set<Listener>();
  readonly #isKept: boolean;
  #held: { readonly value: unknown } | undefined;

  /** @param isKept whether everybody who comes later gets it too, or only the first one */
  constructor(name: string, isKept: boolean) {
    this.#isKept = isKept;
    ipcRenderer.on(name, (_event, value: unknown) => {
      if (isKept || this.#listeners.size === 0) this.#held = { value };
      for (const listener of this.#listeners) listener(value);
    });
  }

  listen(listener: Listener): () => void {
    const heard = (value: unknown): void => listener(value);
    this.#listeners.add(heard);
    if (this.#held) heard(this.#held.value);
    if (!this.#isKept) this.#held = undefined;
    return () => this.#listeners.delete(heard);
  }
}

// Main tells them as soon as the page is there, and the page may listen a moment later.
const states = new Channel(CHANNELS.state, true);
const shows = new Channel(CHANNELS.show, false);

/**
 * What a window gets of the main process: three functions over three channels, and nothing of Electron's. What goes through
 * is checked by the main process (main/window/window-calls.ts) and by the window (renderer/bridge.ts).
 */
const port: Port = {
  call: (name, input) => ipcRenderer.invoke(CHANNELS.call, name, input),
  onState: (listener) => states.listen(listener),
  onShow: (listener) => shows.listen(listener),
};
contextBridge.exposeInMainWorld('holdfastPort', port);
