import { contextBridge, ipcRenderer } from 'electron';
import { CHANNELS } from '../ipc/port.ts';
import type { Port } from '../ipc/port.ts';

/**
 * What a window gets of the main process: three functions over three channels, and nothing of Electron's. What goes through
 * is checked by the main process (main/window-calls.ts) and by the window (renderer/bridge.ts).
 */
const port: Port = {
  call: (name, input) => ipcRenderer.invoke(CHANNELS.call, name, input),
  onState: (listener) => listen(CHANNELS.state, listener),
  onShow: (listener) => listen(CHANNELS.show, listener),
};
contextBridge.exposeInMainWorld('holdfastPort', port);

function listen(channel: string, listener: (value: unknown) => void): () => void {
  const receive = (_event: unknown, value: unknown): void => listener(value);
  ipcRenderer.on(channel, receive);
  return () => ipcRenderer.off(channel, receive);
}
