/**
 * What worker threads do for the engine. A task's handler is a plain synchronous function in the folder that it belongs
 * to; this list is the contract between the two threads. Buffers in answers are transferred, never copied.
 */
import { chunkFiles } from '../chunk/chunk-files.ts';
import { sealChunks } from '../chunk/seal-chunks.ts';
import { checkChunks } from '../restore/verify/check-chunks.ts';
import { syncTarget } from '../restore/write/target.ts';
import { writeFiles } from '../restore/write/write-files.ts';

export const tasks = { chunkFiles, sealChunks, checkChunks, writeFiles, syncTarget } as const;

export type Tasks = typeof tasks;
export type TaskName = keyof Tasks;
export type TaskInput<Name extends TaskName> = Parameters<Tasks[Name]>[0];
export type TaskOutput<Name extends TaskName> = ReturnType<Tasks[Name]>['value'];

/** What a handler answers: its value, and the buffers in it that move to the other thread. */
export interface TaskAnswer<Value> {
  readonly value: Value;
  readonly transfer?: readonly ArrayBuffer[];
}
