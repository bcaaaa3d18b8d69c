/** A body that is made as it is sent, and what its maker threw: that is not the network's doing, nor the service's. */
export interface WatchedBody {
  readonly parts: AsyncGenerator<Uint8Array>;
  failure(): { readonly error: unknown } | undefined;
}

export function watchedBody(make: () => AsyncIterable<Uint8Array>): WatchedBody {
  let failure: { readonly error: unknown } | undefined;
  async function* parts(): AsyncGenerator<Uint8Array> {
    try {
      yield* make();
    } catch (error) {
      failure = { error };
      throw error;
    }
  }
  return { parts: parts(), failure: () => failure };
}
