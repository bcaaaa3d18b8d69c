import type { AgentParts } from '../../context/agent-parts.ts';
import { SharedContexts } from '../../context/shared-contexts.ts';
import type { HomeSettings } from '../home-settings.ts';
import type { RunQueue } from '../runs/run-queue.ts';
import type { DestinationWatches } from './destination-watches.ts';

export interface OpenDestinationsParts {
  /** Those of operations that open a destination for themselves. */
  readonly parts: AgentParts;
  readonly settings: Pick<HomeSettings, 'entries'>;
  readonly runs: Pick<RunQueue, 'busySet' | 'subscribe'>;
  readonly destination: Pick<DestinationWatches, 'onMissing'>;
}

/** The destinations that queries of the host keep open, and when they have to be closed. */
export class OpenDestinations {
  /** Those of operations whose queries share an open destination. */
  readonly parts: AgentParts;
  readonly #shared: SharedContexts;

  constructor({ parts, settings, runs, destination }: OpenDestinationsParts) {
    // A bucket's metadata are a copy in the home that a run updates and publishes: nothing else may have it open then.
    const mayStayOpen = (kind: string | undefined): boolean => kind !== 'bucket' || runs.busySet === undefined;
    const shared = new SharedContexts({ parts, mayKeep: (current) => mayStayOpen(current.destination.kind) });
    this.#shared = shared;
    this.parts = { ...parts, queries: shared };
    // An open destination must not keep a disk from coming back.
    destination.onMissing((id) => void shared.close(id));
    runs.subscribe({
      prepare: async () => {
        for (const { id, destination: at } of settings.entries) if (!mayStayOpen(at.kind)) await shared.close(id);
      },
      ended: ({ kind }) => {
        // A repair builds anew what an open repository has read.
        if (kind === 'repair') void shared.close();
      },
    });
  }

  async close(): Promise<void> {
    await this.#shared.close();
  }
}
