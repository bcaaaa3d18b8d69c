import { systemClock } from '../base/clock.ts';
import { agentOf, type Agent } from './agent.ts';
import type { AgentParts } from './context/agent-parts.ts';
import type { Home } from './home/home.ts';
import { HomeKeyStore } from './key-store/home-key-store.ts';
import { SystemKeychain } from './key-store/keychain.ts';

/** Creates an agent for the CLI, with the system's clock and keychain. */
export function openAgent(options: {
  readonly home: Home;
  readonly environment: NodeJS.ProcessEnv;
  readonly onSkew?: NonNullable<AgentParts['onSkew']>;
  readonly onDoubt?: NonNullable<AgentParts['onDoubt']>;
  readonly onListed?: NonNullable<AgentParts['onListed']>;
}): Agent {
  const keyStore = new HomeKeyStore(options.home, new SystemKeychain(options.environment));
  const parts: AgentParts = { ...options, keyStore, clock: systemClock };
  return agentOf(parts);
}
