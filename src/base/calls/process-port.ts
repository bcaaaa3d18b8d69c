import type { ChildProcess } from 'node:child_process';
import type { Port } from './port.ts';

/** Returns the port to a process that was started by `fork`. */
export function childProcessPort(child: ChildProcess): Port {
  return {
    // A message to a process that has just ended is lost with it.
    post: (message) => void child.send(message as object, () => undefined),
    onMessage: (listener) => void child.on('message', listener),
    onEnd: (listener) => {
      child.once('error', listener);
      child.once('exit', (code) => listener(new Error(`the process ended with code ${code}`)));
    },
  };
}

/** The part of Electron's message ports that is needed. */
export interface ElectronPort {
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): unknown;
  postMessage(message: unknown): void;
  /** Receives messages from now on. */
  start(): void;
}

/** The part of Electron's parent port that is needed; it exists in utility processes only. */
interface ElectronParentPort {
  on(
    event: 'message',
    listener: (event: { readonly data: unknown; readonly ports: readonly ElectronPort[] }) => void,
  ): unknown;
  postMessage(message: unknown): void;
}

function electronParentPort(): ElectronParentPort | undefined {
  return (process as { readonly parentPort?: ElectronParentPort }).parentPort;
}

/** Resolves with the port that Electron's main process sends; never under Node. */
export function portFromParent(): Promise<ElectronPort> {
  return new Promise((resolve) => electronParentPort()?.on('message', ({ ports }) => ports.forEach(resolve)));
}

/**
 * Returns the port to the process that started this one, by Electron's `utilityProcess` or by `fork`. It ends when that
 * process ends, or asks this one to end.
 *
 * @throws Error when there is no such process
 */
export function parentProcessPort(): Port {
  const onTerminate = (listener: (reason: Error) => void): void => {
    process.once('SIGTERM', () => listener(new Error('the process was asked to end')));
  };
  const electron = electronParentPort();
  if (electron) {
    return {
      post: (message) => electron.postMessage(message),
      // A message with a port is for `portFromParent`.
      onMessage: (listener) => void electron.on('message', ({ data, ports }) => ports.length === 0 && listener(data)),
      onEnd: onTerminate,
    };
  }
  if (!process.send) throw new Error('this program is started by another one, with which it exchanges messages');
  return {
    // A message to a process that has just ended is lost with it.
    post: (message) => void (process.connected && process.send?.(message, () => undefined)),
    onMessage: (listener) => void process.on('message', listener),
    onEnd: (listener) => {
      process.once('disconnect', () => listener(new Error('the parent process has ended')));
      onTerminate(listener);
    },
  };
}
