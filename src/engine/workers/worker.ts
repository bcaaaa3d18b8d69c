import { parentPort } from 'node:worker_threads';
import { tasks, type TaskAnswer, type TaskName } from './tasks.ts';

export interface WorkerRequest {
  readonly id: number;
  readonly name: TaskName;
  readonly input: unknown;
}

export type WorkerResponse =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: unknown };

const port = parentPort;
if (!port) throw new Error('worker.ts runs in a worker thread only');

port.on('message', (request: WorkerRequest) => {
  try {
    const handler = tasks[request.name] as (input: unknown) => TaskAnswer<unknown>;
    const answer = handler(request.input);
    port.postMessage({ id: request.id, value: answer.value } satisfies WorkerResponse, [...(answer.transfer ?? [])]);
  } catch (error) {
    port.postMessage({ id: request.id, error } satisfies WorkerResponse);
  }
});
