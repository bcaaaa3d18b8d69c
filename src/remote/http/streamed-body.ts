import type { StallMonitor } from './stall-monitor.ts';
import type { StallTimeout } from './stall-timeout.ts';

/** A body that is produced as it is sent. Errors of its producer are kept apart from those of the network. */
export interface StreamedBody {
  readonly parts: AsyncGenerator<Uint8Array>;
  failure(): { readonly error: unknown } | undefined;
}

/**
 * @param timeout runs while a part is being sent, and after the last one
 * @param monitor notified of each part
 */
export function streamedBody(
  make: () => AsyncIterable<Uint8Array>,
  timeout?: StallTimeout,
  monitor?: Pick<StallMonitor, 'progressed'>,
): StreamedBody {
  let failure: { readonly error: unknown } | undefined;
  async function* parts(): AsyncGenerator<Uint8Array> {
    try {
      for await (const part of make()) {
        monitor?.progressed();
        timeout?.begin();
        yield part;
        timeout?.end();
      }
      timeout?.begin();
    } catch (error) {
      failure = { error };
      throw error;
    }
  }
  return { parts: parts(), failure: () => failure };
}
