import type { Caller } from '../caller.ts';
import type { ServiceContext } from '../context.ts';
import type { Downloader } from '../request/paced-downloads.ts';

/** Returns whose share of the account's downloads a caller takes: for a device that of the person who registered it. */
export async function downloaderOf(
  { metadata }: ServiceContext,
  caller: Caller,
): Promise<Downloader & { readonly person: string }> {
  const { accountId } = caller;
  if (caller.kind === 'user') return { accountId, person: caller.userId };
  const person = await metadata.deviceActivity.registeredBy(caller.deviceId);
  return { accountId, person: person ?? caller.deviceId };
}
