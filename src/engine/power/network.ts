/** What the computer is connected by. */
export interface Network {
  /** Whether there is any connection; nothing where the system does not say. */
  readonly isOnline: boolean | undefined;
  /** Whether it costs by volume; nothing where the system does not say. */
  readonly isMetered: boolean | undefined;
  /** What the way out goes over; nothing where the system does not say. */
  readonly medium: 'wireless' | 'wired' | undefined;
  /** The name (SSID) of the wireless network, where it is one and the system says it. */
  readonly name: string | undefined;
}

export interface NetworkState {
  read(): Promise<Network>;
}

export const UNKNOWN_NETWORK: Network = {
  isOnline: undefined,
  isMetered: undefined,
  medium: undefined,
  name: undefined,
};
