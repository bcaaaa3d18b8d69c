import { parentPort, type Worker } from 'node:worker_threads';
import type { Port } from './port.ts';

/**
 * Returns the port to a thread for the one that started it.
 *
 * @param exitError makes the error with which calls fail after the thread's end
 */
export function workerPort(worker: Worker, exitError: (code: number) => Error): Port {
  return {
    post: (message, transfer = []) => worker.postMessage(message, [...transfer]),
    onMessage: (listener) => void worker.on('message', listener),
    onEnd: (listener) => {
      worker.on('error', (error) => listener(error instanceof Error ? error : new Error(String(error))));
      worker.on('exit', (code) => listener(exitError(code)));
    },
  };
}

/** The port of a thread to the one that started it. */
export interface ParentThreadPort extends Port {
  /** Lets the thread end: it lives as long as its port is open. */
  close(): void;
}

/** @throws Error in the main thread */
export function parentThreadPort(): ParentThreadPort {
  const port = parentPort;
  if (!port) throw new Error('this program runs in a worker thread only');
  return {
    post: (message, transfer = []) => port.postMessage(message, [...transfer]),
    onMessage: (listener) => void port.on('message', listener),
    onEnd: (listener) => void port.on('close', () => listener(new Error('the port to the parent thread was closed'))),
    close: () => port.close(),
  };
}
