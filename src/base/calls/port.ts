import type { Transferable } from 'node:worker_threads';

/** One end of a message channel to another thread or process. */
export interface Port {
  /** @param transfer objects that move to the other side instead of being copied; ports between processes ignore them */
  post(message: unknown, transfer?: readonly Transferable[]): void;
  onMessage(listener: (message: unknown) => void): void;
  /** The listener is called when the other side has ended, or cannot be reached any more. */
  onEnd(listener: (reason: Error) => void): void;
}
