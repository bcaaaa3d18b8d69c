import type { OutputOf as CallOutputOf, Contract, Handlers } from '../../base/calls/contract.ts';
import type { AgentMethods } from '../../ipc/contract/contract.ts';
import type { Agent } from '../agent.ts';
import { OPERATIONS, type OperationEntry, type OperationName } from '../operations/table.ts';
import type { HandlerContext } from './handler-context.ts';

type CallOf<Name extends OperationName> = (typeof OPERATIONS)[Name] extends { readonly call: infer Call extends string }
  ? Call
  : never;

type OperationsByCall = { readonly [Name in OperationName as CallOf<Name>]: Name };

/** The calls of the contract that are one operation, and nothing besides: its line in the table names them. */
export type OperationCall = keyof OperationsByCall;

/** The handlers of a topic: those of its calls that are more than one operation. */
export type OwnHandlers<Methods extends Contract> = {
  readonly [Name in Exclude<keyof Methods, OperationCall>]: Handlers<Methods>[Name];
};

/** What an operation takes as its input. One that needs none ignores what the call says besides the destination. */
type InputOf<Name extends OperationName> =
  Parameters<Agent[Name]> extends readonly [input: infer Input, ...unknown[]]
    ? string extends keyof Input
      ? object
      : Input
    : object;

/** What it returns. A call that returns nothing leaves out what the operation does. */
type OutputOf<Call extends OperationCall, Name extends OperationName> = string extends keyof CallOutputOf<
  AgentMethods,
  Call
>
  ? Record<string, never>
  : Awaited<ReturnType<Agent[Name]>>;

/** Compared with the contract where the handlers of all topics are put together. */
export type OperationHandlers = {
  readonly [Call in OperationCall]: (
    input: InputOf<OperationsByCall[Call]> & { readonly destination?: string | undefined },
  ) => Promise<OutputOf<Call, OperationsByCall[Call]>>;
};

/** Handles the calls that are one operation each: at the destination that the call names, with the input that it has. */
export function operationHandlers({ agent, changed }: Pick<HandlerContext, 'agent' | 'changed'>): OperationHandlers {
  const lines = Object.entries(OPERATIONS) as unknown as readonly (readonly [OperationName, OperationEntry])[];
  const handlers = lines.flatMap(([name, { call, changesHome }]) => {
    if (call === undefined) return [];
    const handle = async (input: { readonly destination?: string }): Promise<unknown> => {
      const perform = agent.at(input.destination)[name] as (input: object, run: object) => Promise<unknown>;
      const result = await perform(input, {});
      if (changesHome) changed();
      return result ?? {};
    };
    return [[call, handle] as const];
  });
  return Object.fromEntries(handlers) as unknown as OperationHandlers;
}
