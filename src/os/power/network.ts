/** The computer's network connection. */
export interface Network {
  /** True if there is any connection; `undefined` if unknown. */
  readonly isOnline: boolean | undefined;
  /** True if it is charged by volume; `undefined` if unknown. */
  readonly isMetered: boolean | undefined;
  /** Medium of the default route; `undefined` if unknown. */
  readonly medium: 'wireless' | 'wired' | undefined;
  /** SSID of a wireless network, if known. */
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
