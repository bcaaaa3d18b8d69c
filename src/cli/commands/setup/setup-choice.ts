import { destinationFolder, localPath } from '../../../agent/input/local-path.ts';
import {
  parseRcloneAddress,
  parseSftpAddress,
  parseWebdavAddress,
} from '../../../agent/destination/store/store-address.ts';
import type { SetupDestination, SetupDestinationOf } from '../../../agent/setup/join-request.ts';
import { wrongUsage } from '../../../base/errors/errors.ts';
import { fingerprintIn } from '../arguments.ts';
import type { ConfirmHostKey } from './host-key-dialogue.ts';
import type { SignInDialogue } from './sign-in-dialogue.ts';
import { userName } from '../../../base/files/user-home.ts';

/** The options of `setup` for the destination and the sign-in. Secrets have been read from their files. */
export interface SetupChoice {
  readonly destination?: string;
  readonly server?: string;
  readonly endpoint?: string;
  readonly region?: string;
  readonly deviceId?: string;
  readonly deviceName?: string;
  readonly deviceKey?: string;
  readonly email?: string;
  readonly password?: string;
  readonly code?: string;
  readonly provider?: string;
  readonly user?: string;
  readonly identity?: string;
  readonly hostKey?: string;
  readonly parity?: number;
  readonly objectLock?: number;
}

type StoreDestination = SetupDestinationOf<'folder' | 'bucket' | 'sftp' | 'webdav' | 'rclone'>;

const SIGN_IN = {
  deviceKey: '--device-key-file',
  email: '--email',
  code: '--code',
  provider: '--provider',
} as const;
const BUCKET = { endpoint: '--endpoint', region: '--region', objectLock: '--object-lock' } as const;
const SSH = { identity: '--identity', hostKey: '--host-key' } as const;
const SERVER_SIGN_IN = { user: '--user', password: '--password-file' } as const;

/**
 * Interprets a combination of options.
 *
 * @throws HoldfastError `usage` if the combination is invalid
 */
export function setupDestination(
  choice: SetupChoice,
  dialogue: SignInDialogue,
  confirmHostKey: ConfirmHostKey,
): SetupDestination {
  const { destination, server, deviceId, deviceName } = choice;
  if (deviceId !== undefined && deviceName !== undefined) {
    throw refused('--device-id continues as an existing device, which already has a name: leave out --device-name.');
  }
  if (destination !== undefined && server !== undefined)
    throw refused('--destination and --server cannot be used together.');
  if (destination !== undefined) {
    const store = storeDestination(destination, choice, confirmHostKey);
    return choice.parity === undefined ? store : { ...store, parity: choice.parity };
  }
  refuseOthers(choice, BUCKET, '--destination s3://BUCKET');
  refuseOthers(choice, SSH, '--destination sftp://USER@HOST/PATH');
  refuseOthers(choice, { user: '--user' }, '--destination sftp:// or davs://');
  refuseOthers(choice, { parity: '--parity' }, '--destination');
  if (server !== undefined) return service(server, choice, dialogue);
  throw refused('Choose where backups go: --destination DIR or --server URL.');
}

function storeDestination(text: string, choice: SetupChoice, confirmHostKey: ConfirmHostKey): StoreDestination {
  refuseOthers(choice, SIGN_IN, '--server');
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme !== 's3') refuseOthers(choice, BUCKET, '--destination s3://BUCKET');
  if (scheme !== 'sftp') refuseOthers(choice, SSH, '--destination sftp://USER@HOST/PATH');
  const isWebdav = scheme === 'davs' || scheme === 'dav';
  if (scheme !== 'sftp' && !isWebdav) refuseOthers(choice, SERVER_SIGN_IN, '--destination sftp:// or davs://');
  if (scheme === 's3') {
    const { endpoint, region, objectLock: objectLockDays } = choice;
    return { kind: 'bucket', address: text, endpoint, region, ...(objectLockDays !== undefined && { objectLockDays }) };
  }
  if (scheme === 'sftp') return sshServer(text, choice, confirmHostKey);
  if (isWebdav) return webdavServer(text, choice);
  if (text.startsWith('rclone:')) return { kind: 'rclone', ...parseRcloneAddress(text) };
  if (scheme === 'https' || scheme === 'http') {
    throw refused(`For a WebDAV server, write ${scheme === 'https' ? 'davs' : 'dav'}://; a service goes to --server.`);
  }
  return { kind: 'folder', directory: destinationFolder(text) };
}

function sshServer(text: string, choice: SetupChoice, confirmHostKey: ConfirmHostKey): StoreDestination {
  const { identity, password } = choice;
  const address = parseSftpAddress(text);
  const user = userOf(address.user, choice) ?? userName();
  if (user === undefined) throw refused('Name the user at the server: sftp://USER@HOST/FOLDER.');
  const place = { ...address, user };
  const hostKey = choice.hostKey === undefined ? undefined : fingerprintIn(choice.hostKey);
  if (choice.hostKey !== undefined && hostKey === undefined) {
    throw refused('--host-key is a fingerprint like the one that ssh-keygen -l prints: SHA256 and 43 characters.');
  }
  return {
    kind: 'sftp',
    ...place,
    ...(identity === undefined
      ? password !== undefined && { authentication: { kind: 'password', password } }
      : {
          authentication: {
            kind: 'key-file',
            file: localPath(identity),
            ...(password !== undefined && { passphrase: password }),
          },
        }),
    ...(hostKey === undefined
      ? { confirmHostKey: (fingerprint: string) => confirmHostKey(place, fingerprint) }
      : { hostKey }),
  };
}

function webdavServer(text: string, choice: SetupChoice): StoreDestination {
  const { password } = choice;
  const place = parseWebdavAddress(text);
  const user = userOf(place.user, choice);
  if (user !== undefined && password === undefined) throw refused('The user of a WebDAV server needs --password-file.');
  if (user === undefined && password !== undefined) {
    throw refused('--password-file needs a user: add --user, or write davs://USER@HOST/PATH.');
  }
  return { kind: 'webdav', url: place.url, ...(user !== undefined && { user, password }) };
}

function userOf(inAddress: string | undefined, { user }: SetupChoice): string | undefined {
  if (inAddress !== undefined && user !== undefined)
    throw refused('The address names a user already: leave out --user.');
  return inAddress ?? user;
}

/** @throws HoldfastError `usage` if an option is given that belongs elsewhere */
function refuseOthers(choice: SetupChoice, flags: Partial<Record<keyof SetupChoice, string>>, owner: string): void {
  for (const [name, flag] of Object.entries(flags)) {
    if (choice[name as keyof SetupChoice] !== undefined) throw refused(`${flag} belongs to ${owner}.`);
  }
}

function service(url: string, choice: SetupChoice, dialogue: SignInDialogue): SetupDestination {
  const { deviceId, deviceKey, email, password, code, provider } = choice;
  if (provider !== undefined) {
    if (deviceKey !== undefined || email !== undefined || password !== undefined) {
      throw refused('--provider cannot be used with --device-key-file, --email or --password-file.');
    }
    return { kind: 'provider', url, provider, ...dialogue };
  }
  if (deviceKey !== undefined) {
    if (email !== undefined || password !== undefined || code !== undefined) {
      throw refused('--device-key-file and --email cannot be used together: sign in as a device or as a person.');
    }
    if (deviceId === undefined) throw refused('--device-key-file needs --device-id.');
    return { kind: 'device', url, deviceKey };
  }
  if (email === undefined || password === undefined) {
    throw refused('--server needs --device-id with --device-key-file, or --email with --password-file, or --provider.');
  }
  return { kind: 'user', url, email, password, code };
}

function refused(message: string): Error {
  return wrongUsage({ problem: 'options', message });
}
