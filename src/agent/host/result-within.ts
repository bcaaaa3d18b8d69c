/** Resolves to the result, or to `undefined` after the timeout. */
export async function resultWithin<Result>(timeoutMs: number, pending: Promise<Result>): Promise<Result | undefined> {
  const timeout = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => timeout.resolve(undefined), timeoutMs);
  try {
    return await Promise.race([pending, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
