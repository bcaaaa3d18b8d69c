import type { Caller } from '../caller.ts';
import type { ServiceContext } from '../context.ts';

/** Whose share of an account's memory a request takes. */
export interface Sharer {
  readonly accountId: string;
  readonly person: string;
}

/** Returns whose share a caller takes: a device takes that of the person who registered it. */
export async function personOf({ metadata }: ServiceContext, caller: Caller): Promise<Sharer> {
  const { accountId } = caller;
  if (caller.kind === 'user') return { accountId, person: caller.userId };
  const person = await metadata.deviceActivity.registeredBy(caller.deviceId);
  return { accountId, person: person ?? caller.deviceId };
}
