import { UNKNOWN_NETWORK, type Network, type NetworkState } from './network.ts';
import { outputOf } from './program-output.ts';

export const macosNetwork: NetworkState = {
  async read() {
    const route = await outputOf('/sbin/route', ['-n', 'get', 'default']);
    // The command fails if there is no default route.
    if (route === undefined) return { ...UNKNOWN_NETWORK, isOnline: false };
    const device = deviceOfRoute(route);
    if (device === undefined) return UNKNOWN_NETWORK;
    const [ports, summary, flags] = await Promise.all([
      outputOf('/usr/sbin/networksetup', ['-listallhardwareports']),
      outputOf('/usr/sbin/ipconfig', ['getsummary', device]),
      outputOf('/sbin/ifconfig', ['-v', device]),
    ]);
    return networkOfMacos(device, ports ?? '', summary ?? '', flags ?? '');
  },
};

/** @param route of `route -n get default` (route(8)): `  interface: en0` */
export function deviceOfRoute(route: string): string | undefined {
  return /^\s*interface: (\S+)$/m.exec(route)?.[1];
}

/**
 * @param device such as `en0`
 * @param ports of `networksetup -listallhardwareports` (networksetup(8)): `Hardware Port: Wi-Fi`, then `Device: en0`
 * @param summary of `ipconfig getsummary` (ipconfig(8)): `  SSID : Home`; newer systems print `<redacted>`
 * @param flags of `ifconfig -v` (ifconfig(8)): EXPENSIVE among the `eflags` of a personal hotspot
 */
export function networkOfMacos(device: string, ports: string, summary: string, flags: string): Network {
  const port = ports
    .split(/\n\s*\n/)
    .find((block) => block.split('\n').includes(`Device: ${device}`))
    ?.match(/^Hardware Port: (.+)$/m)?.[1];
  const medium = port === undefined ? undefined : /^(Wi-Fi|AirPort)$/.test(port) ? 'wireless' : 'wired';
  const name = /^\s*SSID : (.+)$/m.exec(summary)?.[1];
  const extended = /\beflags=[\da-f]+<([^>]*)>/.exec(flags)?.[1];
  return {
    isOnline: true,
    isMetered: extended?.split(',').includes('EXPENSIVE'),
    medium,
    name: medium === 'wireless' && name !== '<redacted>' ? name : undefined,
  };
}
