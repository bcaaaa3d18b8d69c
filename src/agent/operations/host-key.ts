import { wrongUsage } from '../../base/errors/errors.ts';
import { sftpAddress } from '../../storage/sftp/sftp-config.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import type { NoInput, OperationRun } from '../context/operation-run.ts';
import type { StorageDestinationOf } from '../destination/store/open-destination-storage.ts';
import { presentedHostKey } from '../destination/store/presented-host-key.ts';
import { locationOf } from '../home/destination-location.ts';
import { requireSettings, updateSettings, type Settings } from '../home/settings.ts';
import type { Destination } from '../../model/destination.ts';

/** The fingerprints of an SSH server's host keys, as `ssh-keygen -l` shows them. */
export interface HostKeys {
  readonly address: string;
  /** Confirmed by a person before. */
  readonly accepted: string;
  readonly presented: string;
}

/**
 * Returns the accepted host key of the destination and the one that its server presents now.
 *
 * @throws HoldfastError `usage` (`host-key-without-ssh`), `service_unreachable`
 */
export async function hostKeys(parts: AgentParts, _input: NoInput = {}, run: OperationRun = {}): Promise<HostKeys> {
  const { home, clock, destination: at } = parts;
  const destination = requireSsh(requireSettings(home, at).destination);
  const presented = await presentedHostKey(destination, clock, run.signal);
  return { address: sftpAddress(destination), accepted: destination.hostKey, presented };
}

/**
 * Accepts another host key of the destination's server, which a person has compared.
 *
 * @throws HoldfastError as `hostKeys`, and `usage` (`host-key-unconfirmed`) if the server does not present this key
 */
export async function acceptHostKey(
  parts: AgentParts,
  { fingerprint }: { readonly fingerprint: string },
  run: OperationRun = {},
): Promise<HostKeys> {
  const keys = await hostKeys(parts, {}, run);
  const { address, presented } = keys;
  if (presented !== fingerprint) {
    throw wrongUsage({ problem: 'host-key-unconfirmed', address, fingerprint: presented });
  }
  const accept = (settings: Settings): Settings => {
    const destination = requireSsh(settings.destination);
    // The destination may have changed meanwhile.
    if (sftpAddress(destination) !== address) return settings;
    return { ...settings, destination: { ...destination, hostKey: fingerprint } };
  };
  updateSettings(parts.home, accept, parts.destination);
  return { ...keys, accepted: fingerprint };
}

function requireSsh(destination: Destination): StorageDestinationOf<'sftp'> {
  if (destination.kind === 'sftp') return destination;
  throw wrongUsage({ problem: 'host-key-without-ssh', address: locationOf(destination) });
}
