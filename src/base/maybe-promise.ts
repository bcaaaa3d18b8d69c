/**
 * A value, or a promise of it if it has to be waited for. What is awaited takes a turn of the event loop's microtasks even if it is
 * there, which is most of the cost of an answer from memory.
 */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Calls `next` with the value: at once if it is there. */
export function whenReady<Value, Next>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Next>,
): MaybePromise<Next> {
  return value instanceof Promise ? waitFor(value, next) : next(value);
}

async function waitFor<Value, Next>(value: Promise<Value>, next: (value: Value) => MaybePromise<Next>): Promise<Next> {
  return await next(await value);
}
