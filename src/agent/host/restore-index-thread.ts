import { parentPort, workerData } from 'node:worker_threads';
import type { ListedEntry } from '../../engine/restore/types.ts';
import { RestoreIndex } from './restore-index.ts';

/** What the thread is asked. */
export type IndexCall =
  | { readonly kind: 'add'; readonly entries: readonly ListedEntry[] }
  | { readonly kind: 'has'; readonly path: string }
  | { readonly kind: 'open'; readonly path: string; readonly isSorted: boolean }
  | { readonly kind: 'rows'; readonly listing: number; readonly from: number; readonly count: number }
  | { readonly kind: 'close'; readonly listing: number };

/** In the order of the calls. */
export interface IndexAnswer {
  readonly value: unknown;
  /** What went wrong: the disk is full, mostly. */
  readonly error?: { readonly message: string; readonly code: string | undefined };
}

const index = new RestoreIndex(workerData as string);
parentPort!.on('message', (call: IndexCall) => parentPort!.postMessage(answerTo(call)));

function answerTo(call: IndexCall): IndexAnswer {
  try {
    return { value: perform(call) };
  } catch (error) {
    const { message, code } = error as Error & { readonly code?: string };
    return { value: undefined, error: { message, code } };
  }
}

function perform(call: IndexCall): unknown {
  switch (call.kind) {
    case 'add':
      return index.add(call.entries);
    case 'has':
      return index.has(call.path);
    case 'open':
      return index.open(call.path, call.isSorted);
    case 'rows':
      return index.rows(call.listing, call.from, call.count);
    case 'close':
      return index.close(call.listing);
  }
}
