import type { SetupDestination } from '../../../agent/setup/join-request.ts';
import { wrongUsage } from '../../../base/errors.ts';
import type { SignInDialogue } from './sign-in-dialogue.ts';

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
}

const SIGN_IN = {
  deviceKey: '--device-key-file',
  email: '--email',
  password: '--password-file',
  code: '--code',
  provider: '--provider',
} as const;

/**
 * Interprets a combination of options.
 *
 * @throws HoldfastError `usage` if the combination is invalid
 */
export function setupDestination(choice: SetupChoice, dialogue: SignInDialogue): SetupDestination {
  const { destination, server, deviceId, deviceName } = choice;
  if (deviceId !== undefined && deviceName !== undefined) {
    throw refused('--device-id continues as an existing device, which already has a name: leave out --device-name.');
  }
  if (destination !== undefined && server !== undefined)
    throw refused('--destination and --server cannot be used together.');
  if (destination !== undefined) return fileDestination(destination, choice);
  if (choice.endpoint !== undefined) throw refused('--endpoint belongs to --destination s3://BUCKET.');
  if (choice.region !== undefined) throw refused('--region belongs to --destination s3://BUCKET.');
  if (server !== undefined) return service(server, choice, dialogue);
  throw refused('Choose where backups go: --destination DIR or --server URL.');
}

function fileDestination(directory: string, choice: SetupChoice): SetupDestination {
  for (const [name, flag] of Object.entries(SIGN_IN)) {
    if (choice[name as keyof typeof SIGN_IN] !== undefined) throw refused(`${flag} belongs to --server.`);
  }
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(directory)?.[1];
  const { endpoint, region } = choice;
  if (scheme === 's3') return { kind: 'bucket', address: directory, endpoint, region };
  if (endpoint !== undefined) throw refused('--endpoint belongs to --destination s3://BUCKET.');
  if (region !== undefined) throw refused('--region belongs to --destination s3://BUCKET.');
  if (scheme !== undefined) {
    throw wrongUsage({
      problem: 'unavailable',
      message: `${scheme}:// as a destination is not available in this version.`,
    });
  }
  if (directory === '') throw refused('--destination is empty.');
  return { kind: 'folder', directory };
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
