import { partsAt, type AgentParts } from './context/agent-parts.ts';
import { requireDestination } from './home/find-destination.ts';
import { loadSettings, requireStoredSettings, type Settings } from './home/settings.ts';
import { OPERATIONS, type Operation, type OperationName } from './operations/table.ts';

/** Each operation as a method without the parts, which the agent has. */
type Operations = {
  readonly [Name in OperationName]: Method<Awaited<ReturnType<(typeof OPERATIONS)[Name]['load']>>>;
};

type Method<Of extends Operation> = Of extends (parts: AgentParts, ...given: infer Given) => infer Result
  ? (...given: Given) => Promise<Awaited<Result>>
  : never;

/**
 * The door to all operations, for the command line and the window alike. Every operation may throw HoldfastError `not_set_up`,
 * `home_damaged` and what the service throws. Those that lock the home may also throw `home_busy`.
 */
export interface Agent extends Operations {
  readonly parts: AgentParts;
  /**
   * Returns an agent whose operations use the destination of that name or id.
   *
   * @param destination this agent's by default
   * @throws HoldfastError `destination_unknown`
   */
  at(destination: string | undefined): Agent;
  /** Returns `undefined` before setup. */
  settings(): Settings | undefined;
}

/** Performs an operation of the table. */
export type Perform = (name: OperationName, parts: AgentParts, input: unknown, run: unknown) => Promise<unknown>;

/** Performs it here, in the thread of the caller. */
export const performHere: Perform = async (name, parts, input, run) => {
  const perform: Operation = await OPERATIONS[name].load();
  return perform(parts, input as never, run as never);
};

/** Creates an agent. Its operations are loaded with their first call. */
export function agentOf(parts: AgentParts, perform: Perform = performHere): Agent {
  const methods = Object.keys(OPERATIONS).map((name) => [
    name,
    (input: unknown, run: unknown) => perform(name as OperationName, parts, input, run),
  ]);
  const agent: Agent = {
    ...(Object.fromEntries(methods) as Operations),
    parts,
    at: (destination) => {
      if (destination === undefined) return agent;
      const { id } = requireDestination(requireStoredSettings(parts.home), destination);
      return agentOf(partsAt(parts, id), perform);
    },
    settings: () => loadSettings(parts.home, parts.destination),
  };
  return agent;
}
