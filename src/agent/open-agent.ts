import { systemClock } from '../engine/clock.ts';
import { Agent } from './agent.ts';
import type { Home } from './home/home.ts';
import { FileKeyStore } from './key-store/file-key-store.ts';

/** An agent for commands: the system's clock, and secrets in a file of the home. */
export function openAgent(options: {
  readonly home: Home;
  readonly environment: NodeJS.ProcessEnv;
  readonly onSkew?: (skewMs: number) => void;
}): Agent {
  return new Agent({ ...options, keyStore: new FileKeyStore(options.home), clock: systemClock });
}
