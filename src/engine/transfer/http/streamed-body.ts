import type { StallMonitor } from './stall-monitor.ts';
import type { StallTimeout } from './stall-timeout.ts';

/** A body that is made as it is sent, and what its maker threw: that is not the network's doing, nor the service's. */
export interface StreamedBody {
  readonly parts: AsyncGenerator<Uint8Array>;
  failure(): { readonly error: unknown } | undefined;
}

/**
 * @param silence begins while a part is being taken, and after the last one
 * @param line told of each part
 */
export function streamedBody(
  make: () => AsyncIterable<Uint8Array>,
  silence?: StallTimeout,
  line?: Pick<StallMonitor, 'moved'>,
): StreamedBody {
  let failure: { readonly error: unknown } | undefined;
  async function* parts(): AsyncGenerator<Uint8Array> {
    try {
      for await (const part of make()) {
        line?.moved();
        silence?.begin();
        yield part;
        silence?.end();
      }
      silence?.begin();
    } catch (error) {
      failure = { error };
      throw error;
    }
  }
  return { parts: parts(), failure: () => failure };
}
