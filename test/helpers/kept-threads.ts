import { afterAll, beforeAll } from 'vitest';
import { KeptThreads } from './warm-program/kept-threads.ts';

/**
 * Has the operations of a test file use the same threads of the worker pool one after the other. For files with many operations on little: each
 * would start a thread, which takes longer than its work.
 */
export function keepThreads(): void {
  const kept = new KeptThreads();
  beforeAll(() => kept.install());
  afterAll(() => kept.remove());
}
