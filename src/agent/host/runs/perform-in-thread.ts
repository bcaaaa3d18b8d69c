import { Worker } from 'node:worker_threads';
import { CallClient } from '../../../base/calls/call-client.ts';
import { workerPort } from '../../../base/calls/thread-port.ts';
import { performHere, type Perform } from '../../agent.ts';
import { OPERATIONS } from '../../operations/table.ts';
import type { CurrentValues, RunThreadCalls, RunThreadEvents, RunThreadSetup } from './run-thread-calls.ts';

/** Equal to that of runs of the command line. */
const MEMORY = { maxOldGenerationSizeMb: 768, maxYoungGenerationSizeMb: 12 };

/** The interval at which limits by the hour of day are applied. */
const UPDATE_MS = 2000;

/** Performs operations that take long in a thread of their own, and the others here. */
export const performInThread: Perform = (name, parts, input, run) =>
  'isLong' in OPERATIONS[name] ? inOwnThread(name, parts, input, run) : performHere(name, parts, input, run);

/**
 * Functions do not pass to a thread. Those of the input are asked for their values, now and again while the operation works. Those besides
 * the input are called when the operation has called them, and so return nothing to it.
 */
const inOwnThread: Perform = async (name, { home, environment, destination, onSkew }, input, run) => {
  const { signal, ...besides } = (run ?? {}) as { readonly signal?: AbortSignal };
  const given = divided(input);
  const told = divided(besides);
  const setup: RunThreadSetup = { home: home.folder, environment: { ...environment }, destination };
  const worker = new Worker(new URL('./run-thread.ts', import.meta.url), { workerData: setup, resourceLimits: MEMORY });
  const port = workerPort(worker, (code) => new Error(`the thread of "${name}" ended with code ${code}`));
  const client = new CallClient<RunThreadCalls, RunThreadEvents>(port, {
    listeners: {
      told: ({ listener, values }) => told.functions[listener]?.(...values),
      skew: (skewMs) => onSkew?.(skewMs),
    },
  });
  const current = (): CurrentValues =>
    Object.fromEntries(Object.entries(given.functions).map(([value, read]) => [value, read()]));
  // The thread may have ended when an update arrives.
  const update = (): void => void client.call('setCurrent', current()).catch(() => undefined);
  const timer = setInterval(update, UPDATE_MS);
  try {
    const listeners = Object.keys(told.functions);
    const order = { name, input: given.values, current: current(), run: told.values, listeners };
    return await client.call('perform', order, { signal });
  } finally {
    clearInterval(timer);
  }
};

type AnyFunction = (...values: readonly unknown[]) => unknown;

/** Divides the members of an object. */
function divided(object: unknown): {
  readonly values: object;
  readonly functions: Readonly<Record<string, AnyFunction>>;
} {
  const members = Object.entries(object ?? {});
  const isFunction = ([, member]: readonly [string, unknown]): boolean => typeof member === 'function';
  return {
    values: Object.fromEntries(members.filter((member) => !isFunction(member))),
    functions: Object.fromEntries(members.filter(isFunction)),
  };
}
