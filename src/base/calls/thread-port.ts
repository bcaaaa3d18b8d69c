import { parentPort, type Worker } from 'node:worker_threads';
import type { Port } from './port.ts';

/** The message of a thread that has loaded its modules. */
const LOADED = 'loaded';
/** The message that asks a thread to end by itself. */
const END = 'end';

/** Milliseconds in which a thread may complete what it does. */
const GRACE_MS = 1000;

/** The port to a thread for the one that started it. */
export interface WorkerPort extends Port {
  /** Asks the thread to end, and resolves when it has. If it stays, it is terminated. */
  end(): Promise<void>;
  /**
   * Terminates the thread, but not before it has loaded its modules: terminating a thread that loads a native module ends the whole
   * process.
   */
  terminate(): Promise<void>;
}

/**
 * Returns the port to a thread, which has a `parentThreadPort`.
 *
 * @param exitError makes the error with which calls fail after the thread's end
 */
export function workerPort(worker: Worker, exitError: (code: number) => Error): WorkerPort {
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const loaded = new Promise<void>((resolve) => {
    const listen = (message: unknown): void => {
      if (message !== LOADED) return;
      worker.off('message', listen);
      resolve();
    };
    worker.on('message', listen);
  });
  return {
    post: (message, transfer = []) => worker.postMessage(message, [...transfer]),
    onMessage: (listener) =>
      void worker.on('message', (message) => {
        if (message !== LOADED) listener(message);
      }),
    onEnd: (listener) => {
      worker.on('error', (error) => listener(error instanceof Error ? error : new Error(String(error))));
      worker.on('exit', (code) => listener(exitError(code)));
    },
    end: async () => {
      worker.ref();
      worker.postMessage(END);
      await Promise.race([loaded, exited]);
      const timer = setTimeout(() => void worker.terminate(), GRACE_MS);
      await exited;
      clearTimeout(timer);
    },
    terminate: async () => {
      await Promise.race([loaded, exited]);
      await worker.terminate();
    },
  };
}

/** The port of a thread to the one that started it. */
export interface ParentThreadPort extends Port {
  /** Lets the thread end: it lives as long as its port is open. */
  close(): void;
}

/** Called by the program of a thread once its modules are loaded. @throws Error in the main thread */
export function parentThreadPort(): ParentThreadPort {
  const port = parentPort;
  if (!port) throw new Error('this program runs in a worker thread only');
  port.postMessage(LOADED);
  return {
    post: (message, transfer = []) => port.postMessage(message, [...transfer]),
    onMessage: (listener) =>
      void port.on('message', (message) => {
        if (message === END) port.close();
        else listener(message);
      }),
    onEnd: (listener) => void port.on('close', () => listener(new Error('the port to the parent thread was closed'))),
    close: () => port.close(),
  };
}
