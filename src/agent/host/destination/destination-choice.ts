import { localPath } from '../../input/local-path.ts';
import type { DestinationChoice } from '../../../ipc/contract/setup.ts';
import { SSH_PORT, type SftpAuthentication } from '../../../storage/sftp/sftp-config.ts';
import { isKnownHost, knownHosts } from '../../destination/store/known-hosts.ts';
import { parseWebdavAddress } from '../../destination/store/store-address.ts';
import type { StoreChoice } from '../../setup/chosen-store.ts';
import { HoldfastError, systemCodeOf, wrongUsage } from '../../../base/errors/errors.ts';
import { foreignContent } from '../../../storage/foreign-content.ts';
import type { Home } from '../../home/home.ts';
import { realPathOf } from '../../../os/filesystem/real-path.ts';
import { isInside } from '../../../model/local-path.ts';
import { backupFolderIn, type BackupFolder } from './backup-folder.ts';

type Choice<Kind extends DestinationChoice['kind']> = Extract<DestinationChoice, { kind: Kind }>;

/**
 * Returns the folder for the backups of a choice.
 *
 * @throws HoldfastError `usage` (`destination-foreign`, `inside-own-folder`), `destination_missing` (`undescribed`), `destination_unwritable`
 */
export async function chosenFolder({ path }: Choice<'folder'>, home: Home): Promise<BackupFolder> {
  const chosen = await backupFolderIn(path).catch((error: unknown) => {
    const code = systemCodeOf(error);
    if (code === 'ENOTDIR') throw wrongUsage({ problem: 'destination-foreign', directory: path });
    if (code === undefined) throw error;
    throw new HoldfastError('destination_unwritable', { directory: path, problem: code }, { cause: error });
  });
  const { folder, use } = chosen;
  if (use === 'occupied' || use === 'undescribed') throw foreignContent(folder, use === 'undescribed');
  if (isInside(realPathOf(home.folder), realPathOf(chosen.folder))) {
    throw wrongUsage({ problem: 'inside-own-folder', path: home.folder, folder: chosen.folder });
  }
  // Removing the home would remove the backups with it.
  if (isInside(realPathOf(chosen.folder), realPathOf(home.folder))) {
    throw wrongUsage({ problem: 'inside-own-folder', path: chosen.folder, folder: home.folder });
  }
  return chosen;
}

/** The kinds of stores other than a folder of this computer. */
type StoreKind = StoreChoice['kind'];

/**
 * Returns the store of a choice. The address of a bucket may still be invalid.
 *
 * @throws HoldfastError `usage` (`sftp-address`, `webdav-address`)
 */
export function chosenStorePlace(choice: Choice<StoreKind>): StoreChoice {
  switch (choice.kind) {
    case 'bucket':
      return chosenBucket(choice);
    case 'sftp':
      return chosenSshServer(choice);
    case 'webdav': {
      const { url, user: inAddress } = parseWebdavAddress(choice.address);
      const user = filled(choice.user) ?? inAddress;
      return { kind: 'webdav', url, ...(user !== undefined && { user, password: choice.password ?? '' }) };
    }
    case 'rclone':
      return { kind: 'rclone', remote: `${choice.remote.replace(/:$/, '')}:${choice.folder.trim()}` };
  }
}

function chosenBucket(choice: Choice<'bucket'>): StoreChoice {
  const { address, endpoint, region, accessKeyId, secretAccessKey, objectLockDays = 0 } = choice;
  const credentials = { accessKeyId: accessKeyId.trim(), secretAccessKey: secretAccessKey.trim() };
  return {
    kind: 'bucket',
    address: address.trim(),
    endpoint: filled(endpoint),
    region: filled(region),
    credentials,
    ...(objectLockDays > 0 && { objectLockDays }),
  };
}

function chosenSshServer(choice: Choice<'sftp'>): StoreChoice {
  const { host, port } = sshServer(choice.host.trim());
  const place = { host, port, user: choice.user.trim(), path: folderOnServer(choice.path) };
  return {
    kind: 'sftp',
    ...place,
    authentication: authenticationOf(choice.signIn),
    hostKey: choice.hostKey,
    // What ssh knows already needs no confirmation.
    confirmHostKey: (fingerprint) => isKnownHost(knownHosts(), host, port ?? SSH_PORT, fingerprint),
  };
}

/** Parses a host as people type it, with or without a port. */
function sshServer(text: string): { readonly host: string; readonly port?: number } {
  const [, host = text, port] = /^(\[[^\]]+\]|[^:]+):(\d{1,5})$/.exec(text) ?? [];
  const name = host.replace(/^\[(.*)\]$/, '$1');
  if (!/^[^\s/@?#]+$/.test(name)) throw wrongUsage({ problem: 'ssh-host', host: text });
  return { host: name, ...(port !== undefined && { port: Number(port) }) };
}

/** Returns a folder on the server without the parts that mean the user's own folder. */
function folderOnServer(text: string): string {
  const path = text.trim().replace(/^\/?~(?=\/|$)\/*/, '');
  return path.replace(/\/+$/, '') || (path.startsWith('/') ? '/' : '');
}

function authenticationOf(signIn: Choice<'sftp'>['signIn']): SftpAuthentication | undefined {
  switch (signIn.kind) {
    case 'password':
      return signIn;
    case 'key-file': {
      const file = localPath(signIn.file.trim());
      const passphrase = signIn.passphrase === '' ? undefined : signIn.passphrase;
      return { kind: 'key-file', file, ...(passphrase !== undefined && { passphrase }) };
    }
    case 'default':
      return undefined;
  }
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
