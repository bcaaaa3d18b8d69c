import type { Agent } from '../../agent/agent.ts';
import type { SetReference } from '../../agent/context/set-source.ts';
import type { CommandContext } from '../runner.ts';
import { printable } from '../text.ts';

interface Options {
  readonly device?: string | undefined;
  readonly destination?: string | undefined;
}

/** A set to read, and the agent at the destination that it is read from. */
interface Reading {
  readonly agent: Agent;
  readonly reference: SetReference;
  /** The destination that was named, or the only one that has the set of another device. */
  readonly destination: string | undefined;
}

/**
 * Finds a set to read by its name. If it is another device's, a line on stderr says which.
 *
 * @throws HoldfastError `set_unknown`
 */
export async function locatedSet(set: string, options: Options, context: CommandContext): Promise<Reading> {
  const { device, destination: named } = options;
  const agent = await context.agent(named);
  const located = await agent.locateSet({ set, ...(device === undefined ? {} : { device }) }, context);
  const { found, ...reference } = located;
  if (!found) return { agent, reference, destination: named };
  context.output.note(
    `Using "${printable(set)}" of ${printable(found.deviceName)} (--device ${reference.device}) at ${printable(found.destination)}.`,
  );
  return { agent: await context.agent(found.destination), reference, destination: found.destination };
}
