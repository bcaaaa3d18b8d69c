import type { Clock } from '../../base/clock.ts';
import type { Agent } from '../agent.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import type { Home } from '../home/home.ts';
import type { RunQueue } from './runs/run-queue.ts';

/** What handlers need of the schedules. */
export interface SchedulerControl {
  /** Sets were added, changed or removed: what is due is decided anew. */
  setsChanged(): void;
  /** Scheduled runs wait until then, in milliseconds since the epoch, or until `resume`. */
  pause(until?: number): void;
  resume(): void;
  wake(what: 'resumed' | 'power' | 'network'): void;
}

/** What all handlers of the agent host share. */
export interface HostParts {
  readonly agent: Agent;
  /** What the agent is made of, for what it has no method for. */
  readonly parts: AgentParts;
  readonly home: Home;
  readonly clock: Clock;
  readonly runs: RunQueue;
  readonly scheduler: SchedulerControl;
  /** Something that the state shows has changed: it is made anew and published soon. Cheap; call it freely. */
  readonly changed: () => void;
  /** Opens an address in the system's browser. */
  readonly browse: (url: string) => void;
}
