import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isHoldfastError, wrongUsage } from '../../base/errors/errors.ts';
import { INTERACTIVE_RETRY_POLICY } from '../../remote/http/retrier.ts';
import { sftpAddress, type SftpAuthentication } from '../../storage/sftp/sftp-config.ts';
import { DESCRIPTION_FILE } from '../../format/repository/file-names.ts';
import { bucketAddress, credentialsFrom } from '../../storage/bucket/bucket-config.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import { bucketConfigOf } from '../destination/store/bucket-destination.ts';
import {
  openDestinationStorage,
  type StorageDestination,
  type StorageDestinationOf,
} from '../destination/store/open-destination-storage.ts';
import { presentedHostKey } from '../destination/store/presented-host-key.ts';
import type { StoreSecrets } from '../key-store/key-store.ts';
import type { SetupDestinationOf } from './join-request.ts';
import { userHome } from '../../base/files/user-home.ts';

/** A store of files that a person chose, other than a folder of this computer. */
export type StoreChoice = SetupDestinationOf<'bucket' | 'sftp' | 'webdav' | 'rclone'>;

/** A store as the settings and the secrets keep it. */
export interface ChosenStore {
  readonly destination: StorageDestination;
  readonly secrets: StoreSecrets;
}

/** The private keys that ssh uses by default and this computer's users have most. */
const DEFAULT_KEYS = ['id_ed25519', 'id_rsa'] as const;

/**
 * Completes a choice. For an SSH server it has the host key confirmed, and finds a sign-in that the server accepts.
 *
 * @throws HoldfastError `usage`, `service_unreachable`, `permission_denied`
 */
export async function chosenStore(choice: StoreChoice, parts: AgentParts, signal?: AbortSignal): Promise<ChosenStore> {
  switch (choice.kind) {
    case 'bucket': {
      const bucket = choice.credentials ?? credentialsFrom(parts.environment);
      if (!bucket) throw wrongUsage({ problem: 'bucket-keys' });
      const config = bucketConfigOf(choice, bucket);
      const { endpoint, region } = config;
      const address = bucketAddress(config);
      const destination = { kind: 'bucket', address, region, ...(endpoint !== undefined && { endpoint }) } as const;
      return { destination, secrets: { bucket } };
    }
    case 'sftp':
      return await chosenSshServer(choice, parts, signal);
    case 'webdav': {
      const { url, user, password } = choice;
      if (user === undefined) return { destination: { kind: 'webdav', url }, secrets: {} };
      return { destination: { kind: 'webdav', url, user }, secrets: { webdav: { password: password ?? '' } } };
    }
    case 'rclone':
      return { destination: { kind: 'rclone', remote: choice.remote }, secrets: {} };
  }
}

async function chosenSshServer(
  choice: SetupDestinationOf<'sftp'>,
  parts: AgentParts,
  signal: AbortSignal | undefined,
): Promise<ChosenStore> {
  const { host, port, user, path } = choice;
  const place = { kind: 'sftp', host, user, path, ...(port !== undefined && { port }) } as const;
  const hostKey = choice.hostKey ?? (await confirmedHostKey({ ...place, hostKey: '' }, choice, parts, signal));
  const destination = { ...place, hostKey };
  const sftp = choice.authentication ?? (await acceptedSignIn(destination, parts, signal));
  return { destination, secrets: { sftp } };
}

/** Has the host key confirmed that the server presents, before anything is sent to it. */
async function confirmedHostKey(
  destination: StorageDestinationOf<'sftp'>,
  { confirmHostKey }: SetupDestinationOf<'sftp'>,
  { clock }: AgentParts,
  signal: AbortSignal | undefined,
): Promise<string> {
  const fingerprint = await presentedHostKey(destination, clock, signal);
  if ((await confirmHostKey?.(fingerprint)) === true) return fingerprint;
  throw wrongUsage({ problem: 'host-key-unconfirmed', address: sftpAddress(destination), fingerprint });
}

/** Finds a sign-in by default. Keys in files come first, since scheduled runs may have no agent. */
async function acceptedSignIn(
  destination: StorageDestinationOf<'sftp'>,
  { clock, environment }: AgentParts,
  signal: AbortSignal | undefined,
): Promise<SftpAuthentication> {
  let refusal: unknown = wrongUsage({ problem: 'ssh-key-missing', address: sftpAddress(destination) });
  for (const sftp of defaultSignIns(environment)) {
    const options = { clock, policy: INTERACTIVE_RETRY_POLICY, isNew: true };
    await using storage = await openDestinationStorage(destination, { sftp }, options);
    try {
      await storage.get(DESCRIPTION_FILE, { offset: 0, length: 1 }, signal);
      return sftp;
    } catch (error) {
      if (!isHoldfastError(error, 'permission_denied')) throw error;
      refusal = error;
    }
  }
  throw refusal;
}

function defaultSignIns(environment: NodeJS.ProcessEnv): readonly SftpAuthentication[] {
  const home = userHome();
  const keys = home === undefined ? [] : DEFAULT_KEYS.map((name) => join(home, '.ssh', name));
  const files = keys.filter((file) => existsSync(file));
  const hasAgent = environment['SSH_AUTH_SOCK'] !== undefined || process.platform === 'win32';
  return [
    ...files.map((file) => ({ kind: 'key-file', file }) as const),
    ...(hasAgent ? [{ kind: 'agent' } as const] : []),
  ];
}
