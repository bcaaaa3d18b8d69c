import { contextBridge, ipcRenderer } from 'electron';
import { CHANNELS, LANGUAGES_ARGUMENT } from '../ipc/window-port.ts';
import type { Port } from '../ipc/window-port.ts';

type Listener = (value: unknown) => void;

/** The messages of a channel. A listener that is added later gets the newest one. */
class Channel {
  readonly #listeners = new Set<Listener>();
  readonly #isKept: boolean;
  #held: { readonly value: unknown } | undefined;

  /** @param isKept whether every later listener gets the newest message, or only the first one */
  constructor(name: string, isKept: boolean) {
    this.#isKept = isKept;
    ipcRenderer.on(name, (_event, value: unknown) => {
      if (isKept || this.#listeners.size === 0) this.#held = { value };
      for (const listener of this.#listeners) listener(value);
    });
  }

  listen(listener: Listener): () => void {
    const added = (value: unknown): void => listener(value);
    this.#listeners.add(added);
    if (this.#held) added(this.#held.value);
    if (!this.#isKept) this.#held = undefined;
    return () => this.#listeners.delete(added);
  }
}

// The main process sends both as soon as the page has loaded, which may be before the page listens.
const states = new Channel(CHANNELS.state, true);
const shows = new Channel(CHANNELS.show, false);

/**
 * The window's access to the main process: the languages, three functions over three channels, and nothing of Electron itself. The main
 * process (main/window/window-calls.ts) and the window (renderer/bridge.ts) check the messages.
 */
const port: Port = {
  languages:
    process.argv
      .find((word) => word.startsWith(LANGUAGES_ARGUMENT))
      ?.slice(LANGUAGES_ARGUMENT.length)
      .split(',') ?? [],
  call: (name, input) => ipcRenderer.invoke(CHANNELS.call, name, input),
  onState: (listener) => states.listen(listener),
  onShow: (listener) => shows.listen(listener),
};
contextBridge.exposeInMainWorld('holdfastPort', port);
