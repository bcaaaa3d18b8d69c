import { UNKNOWN_NETWORK, type NetworkState } from './network.ts';

/** Returns the network state of this operating system; an unknown one if it is not supported. */
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
