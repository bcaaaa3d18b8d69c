/**
 * Runs all pieces of work. When one fails, the signal that the others got is aborted; the call rejects with the first
 * error after all have ended, so that nothing goes on behind the caller's back.
 */
export async function allOrFirstError<Item>(
  items: readonly Item[],
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
    await Promise.all(items.map(run));
  } finally {
    signal?.removeEventListener('abort', stop);
  }
  if (failure) throw failure.error;
}
