/*
 * p-limit does not fit here: when one piece of work fails, the others must be aborted, and the call must not settle while
 * any of them is still running.
 */

/** Runs work for all items at once. After a failure it aborts the others, waits for their end and rejects. */
export async function allOrFirstError<Item>(
  items: Iterable<Item>,
  work: (item: Item, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  const inner = new AbortController();
  const stop = (): void => inner.abort(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  let failure: { readonly error: unknown } | undefined;
  const run = (item: Item): Promise<void> =>
    work(item, inner.signal).catch((error: unknown) => {
      failure ??= { error };
      inner.abort(error);
    });
  try {
    await Promise.all(Array.from(items, run));
  } finally {
    signal?.removeEventListener('abort', stop);
  }
  if (failure) throw failure.error;
}

/** Processes a fixed number of items at once. An item is taken from the iterator only when its work begins. */
export async function someAtOnceOrFirstError<Item>(
  atOnce: number,
  items: Iterator<Item>,
  work: (item: Item, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const lane = async (_: number, inner: AbortSignal): Promise<void> => {
    for (let next = items.next(); !next.done; next = items.next()) {
      inner.throwIfAborted();
      await work(next.value, inner);
    }
  };
  await allOrFirstError(Array(atOnce).keys(), lane, signal);
}
