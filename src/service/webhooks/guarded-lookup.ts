import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { isPublicAddress } from './public-address.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

/** The operating system's resolver: hosts file, then DNS. */
export const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true });

/** A receiver's address is not permitted. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  readonly code = 'ADDRESS_REFUSED';
}

export interface AddressGuard {
  /** Rejects a URL whose host is a non-public IP address; sockets resolve only names. */
  assertHostAllowed(url: URL): void;
  /** Implements `connect.lookup`: the socket connects to exactly the checked addresses, not to a second response. */
  readonly lookup: LookupFunction;
}

/**
 * Keeps deliveries out of the service's own network. A name is rejected if one of its addresses is not
 * public: a mixed response is an attempt to get in by chance.
 */
export function createAddressGuard(options: {
  readonly allowPrivate: boolean;
  readonly resolve: Resolve;
}): AddressGuard {
  const assertAllowed = (address: string): void => {
    if (!options.allowPrivate && !isPublicAddress(address)) throw new AddressRefused('the address is not a public one');
  };

  const resolveAllowed = async (hostname: string): Promise<ResolvedAddress[]> => {
    const addresses = [...(await options.resolve(hostname))];
    if (addresses.length === 0) throw new AddressRefused('the name has no address');
    for (const { address } of addresses) assertAllowed(address);
    return addresses;
  };

  return {
    assertHostAllowed(url) {
      const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
      if (isIP(host) !== 0) assertAllowed(host);
    },
    lookup(hostname, lookupOptions, callback) {
      callbackify(resolveAllowed)(hostname, (error, addresses) => {
        const first = addresses?.[0];
        if (first === undefined) callback(error, []);
        else if (lookupOptions.all === true) callback(null, addresses);
        else callback(null, first.address, first.family);
      });
    },
  };
}
