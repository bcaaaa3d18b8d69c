import type { Clock } from '../../base/clock.ts';
import type { Agent } from '../agent.ts';
import type { Home } from '../home/home.ts';
import type { RunQueue } from './runs/run-queue.ts';

/** The scheduler, as handlers need it. */
export interface SchedulerControl {
  /** Must be called when what it decides by has changed without a change of the settings, which it notices by itself. */
  setsChanged(): void;
  /** Pauses scheduled runs until a time in milliseconds since the epoch, or until `resume`. */
  pause(until?: number): void;
  resume(): void;
  wake(what: 'resumed' | 'power' | 'network'): void;
}

/** Shared by the handlers of the agent host. */
export interface HandlerContext {
  readonly agent: Agent;
  readonly home: Home;
  readonly clock: Clock;
  readonly runs: RunQueue;
  readonly scheduler: SchedulerControl;
  /** Must be called when the app state or the settings may have changed: the state is published soon, and the scheduler decides again. Cheap. */
  readonly changed: () => void;
  /** Opens an address in the system's browser. */
  readonly browse: (url: string) => void;
}
