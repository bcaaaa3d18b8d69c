/** Messages with the process that started this one, whichever way it did. */
export interface ProcessPort {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** The other process has gone, or wants this one to go. */
  onClose(listener: () => void): void;
}

/** The part of Electron's that is needed; it is there in its utility processes only. */
interface ParentPort {
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): unknown;
  postMessage(message: unknown): void;
}

/** @throws where nobody is at the other end */
export function processPort(): ProcessPort {
  const parent = (process as { readonly parentPort?: ParentPort }).parentPort;
  if (parent) {
    return {
      post: (message) => parent.postMessage(message),
      onMessage: (listener) => void parent.on('message', ({ data }) => listener(data)),
      onClose: (listener) => void process.once('SIGTERM', listener),
    };
  }
  if (!process.send) throw new Error('the agent host is started by the app, which it talks to');
  return {
    // A message to a process that has just gone is lost with it.
    post: (message) => void (process.connected && process.send?.(message, () => undefined)),
    onMessage: (listener) => void process.on('message', listener),
    onClose: (listener) => void process.once('disconnect', listener).once('SIGTERM', listener),
  };
}
