import type { DestinationChoice } from '../../../ipc/contract/setup.ts';
import type { BucketCredentials } from '../../../s3/bucket-config.ts';
import type { SetupDestinationOf } from '../../setup/join-request.ts';
import { HoldfastError, systemCodeOf, wrongUsage } from '../../../base/errors.ts';
import type { Home } from '../../home/home.ts';
import { isInside, realPathOf } from '../../../engine/filesystem/real-path.ts';
import { backupFolderIn, type BackupFolder } from './backup-folder.ts';

type Choice<Kind extends DestinationChoice['kind']> = Extract<DestinationChoice, { kind: Kind }>;

/**
 * Returns the folder for the backups of a choice.
 *
 * @throws HoldfastError `usage` (`destination-foreign`, `inside-own-folder`), `destination_unwritable`
 */
export async function chosenFolder({ path }: Choice<'folder'>, home: Home): Promise<BackupFolder> {
  const chosen = await backupFolderIn(path).catch((error: unknown) => {
    const code = systemCodeOf(error);
    if (code === 'ENOTDIR') throw wrongUsage({ problem: 'destination-foreign', directory: path });
    if (code === undefined) throw error;
    throw new HoldfastError('destination_unwritable', { directory: path, problem: code }, { cause: error });
  });
  if (chosen.use === 'occupied') throw wrongUsage({ problem: 'destination-foreign', directory: chosen.folder });
  if (isInside(realPathOf(home.folder), realPathOf(chosen.folder))) {
    throw wrongUsage({ problem: 'inside-own-folder', path: home.folder, folder: chosen.folder });
  }
  // Removing the home would remove the backups with it.
  if (isInside(realPathOf(chosen.folder), realPathOf(home.folder))) {
    throw wrongUsage({ problem: 'inside-own-folder', path: chosen.folder, folder: home.folder });
  }
  return chosen;
}

/** Returns the bucket of a choice. Its address may still be invalid. */
export function chosenBucket(
  choice: Choice<'bucket'>,
): SetupDestinationOf<'bucket'> & { readonly credentials: BucketCredentials } {
  const { address, endpoint, region, accessKeyId, secretAccessKey } = choice;
  const credentials = { accessKeyId: accessKeyId.trim(), secretAccessKey: secretAccessKey.trim() };
  return {
    kind: 'bucket',
    address: address.trim(),
    endpoint: filled(endpoint),
    region: filled(region),
    credentials,
  };
}

/** Normalises an address as typed by a person: `https` unless it has a scheme, and no slash at the end. */
export function serviceAddress(text: string): string {
  const trimmed = text.trim();
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
  const url = URL.parse(address);
  // Connecting rejects all other faults.
  if (!url || !/^https?:$/.test(url.protocol) || url.search + url.hash + url.username + url.password !== '')
    return address;
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

function filled(text: string | undefined): string | undefined {
  return text?.trim() || undefined;
}
