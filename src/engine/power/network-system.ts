import { UNKNOWN_NETWORK, type NetworkState } from './network.ts';

/** That of this operating system; one of which nothing is known where it cannot be had. */
export async function networkState(): Promise<NetworkState> {
  switch (process.platform) {
    case 'linux':
      return (await import('./linux-network.ts')).linuxNetwork;
    case 'darwin':
      return (await import('./macos-network.ts')).macosNetwork;
    case 'win32':
      return (await import('./windows-network.ts')).windowsNetwork;
    default:
      return { read: () => Promise.resolve(UNKNOWN_NETWORK) };
  }
}
