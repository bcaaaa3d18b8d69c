import type { Clock } from '../../../base/clock.ts';
import { HoldfastError } from '../../../base/errors/errors.ts';
import { INTERACTIVE_RETRY_POLICY } from '../../../remote/http/retrier.ts';
import { DESCRIPTION_FILE } from '../../../format/repository/file-names.ts';
import { sftpAddress } from '../../../storage/sftp/sftp-config.ts';
import { openDestinationStorage, type StorageDestinationOf } from './open-destination-storage.ts';

/**
 * Returns the fingerprint of the host key that an SSH server presents now. Sends nothing else to the server: the connection ends
 * before the sign-in, since a person may think about the key for longer than servers wait for one.
 *
 * @throws HoldfastError `service_unreachable`; the signal's reason
 */
export async function presentedHostKey(
  destination: StorageDestinationOf<'sftp'>,
  clock: Clock,
  signal?: AbortSignal,
): Promise<string> {
  let presented: string | undefined;
  const acceptHostKey = (fingerprint: string): boolean => {
    presented = fingerprint;
    return false;
  };
  const none = { sftp: { kind: 'password', password: '' } } as const;
  const options = { clock, policy: INTERACTIVE_RETRY_POLICY, isNew: true, acceptHostKey };
  await using storage = await openDestinationStorage(destination, none, options);
  await storage.get(DESCRIPTION_FILE, { offset: 0, length: 1 }, signal).catch((error: unknown) => {
    if (presented === undefined) throw error;
  });
  if (presented !== undefined) return presented;
  throw new HoldfastError('service_unreachable', { address: sftpAddress(destination) }, { retryable: true });
}
