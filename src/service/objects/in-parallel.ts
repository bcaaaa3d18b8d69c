/**
 * Runs `work` on every item, `most` at a time. After a failure no further item is started, and the failure is thrown when those in
 * progress have ended.
 */
export async function inParallel<Item>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failed = false;
  const run = async (): Promise<void> => {
    while (next < items.length && !failed) {
      const item = items[next]!;
      next += 1;
      try {
        await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const results = await Promise.allSettled(Array.from({ length: Math.min(most, items.length) }, run));
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
}
