import { wrongUsage } from '../../base/errors/errors.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import { locationOf } from '../home/destination-location.ts';
import { requireSettings } from '../home/settings.ts';

/** @throws HoldfastError `usage` with the problem if the destination is a service, which looks after its own storage */
export function requireStorage(parts: AgentParts, problem: 'check-of-service' | 'free-of-service'): void {
  const { destination } = requireSettings(parts.home, parts.destination);
  if (destination.kind === 'service') throw wrongUsage({ problem, address: locationOf(destination) });
}
