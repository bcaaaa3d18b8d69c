import { readFileSync } from 'node:fs';
import { UNKNOWN_NETWORK, type Network, type NetworkState } from './network.ts';
import { outputOf } from './program-output.ts';

const DEVICE_FIELDS = 'GENERAL.DEVICE,GENERAL.TYPE,GENERAL.STATE,GENERAL.METERED,IP4.GATEWAY,IP6.GATEWAY';

/** Reads NetworkManager's state. Networks that another program manages are unknown. */
export const linuxNetwork: NetworkState = {
  async read() {
    const [devices, wireless] = await Promise.all([
      outputOf('nmcli', ['--terse', '--fields', DEVICE_FIELDS, 'device', 'show']),
      outputOf('nmcli', ['--terse', '--fields', 'ACTIVE,DEVICE,SSID', 'device', 'wifi', 'list', '--rescan', 'no']),
    ]);
    return devices === undefined ? UNKNOWN_NETWORK : networkOfNmcli(devices, wireless ?? '', readRoutes());
  },
};

/** Virtual devices, whose traffic uses one of the others. */
const TUNNELS: ReadonlySet<string> = new Set(['tun', 'wireguard', 'ip-tunnel', 'vpn', 'loopback', 'dummy']);

/** Modems have point-to-point connections. */
const WITHOUT_GATEWAY: ReadonlySet<string> = new Set(['gsm', 'cdma', 'wwan', 'bt']);

const WIRED: ReadonlySet<string> = new Set(['ethernet', 'bridge', 'bond', 'team', 'vlan']);

/**
 * @param devices of `nmcli --terse device show` with the fields above: blocks of `FIELD:value`, a blank line between
 *   them (nmcli(1); as NetworkManager 1.42 prints it)
 * @param wireless of `nmcli --terse device wifi list` with `ACTIVE,DEVICE,SSID`: `yes:wlan0:Home`, colons and
 *   backslashes in a name after a backslash
 * @param routes the content of /proc/net/route
 */
export function networkOfNmcli(devices: string, wireless: string, routes: string): Network {
  const blocks = devices
    .split(/\n{2,}/)
    .map(fieldsOf)
    .filter(({ type }) => type !== '' && !TUNNELS.has(type));
  const connected = blocks.filter(
    ({ type, state, gateway }) => state === 100 && (gateway !== '' || WITHOUT_GATEWAY.has(type)),
  );
  const wayOut = defaultDevice(routes);
  const used = connected.find(({ device }) => device === wayOut) ?? connected[0];
  // State 10 is a device that NetworkManager does not manage.
  if (!used) return { ...UNKNOWN_NETWORK, isOnline: blocks.some(({ state }) => state > 10) ? false : undefined };
  const medium = used.type === 'wifi' ? 'wireless' : WIRED.has(used.type) ? 'wired' : undefined;
  return {
    isOnline: true,
    isMetered: used.metered.startsWith('yes') ? true : used.metered.startsWith('no') ? false : undefined,
    medium,
    name: medium === 'wireless' ? nameOf(wireless, used.device) : undefined,
  };
}

interface DeviceFields {
  readonly device: string;
  readonly type: string;
  /** NMDeviceState. */
  readonly state: number;
  readonly metered: string;
  readonly gateway: string;
}

function fieldsOf(block: string): DeviceFields {
  const values = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), unescaped(line.slice(colon + 1))] as const;
    }),
  );
  const value = (field: string): string => values.get(field) ?? '';
  return {
    device: value('GENERAL.DEVICE'),
    type: value('GENERAL.TYPE'),
    state: Number.parseInt(value('GENERAL.STATE'), 10),
    metered: value('GENERAL.METERED'),
    gateway: value('IP4.GATEWAY') || value('IP6.GATEWAY'),
  };
}

function nameOf(wireless: string, device: string): string | undefined {
  const start = `yes:${device}:`;
  const line = wireless.split('\n').find((one) => one.startsWith(start));
  const name = line === undefined ? '' : unescaped(line.slice(start.length));
  return name === '' ? undefined : name;
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, '$1');
}

/** The interface of the default route with the smallest metric (proc(5): interface, destination … metric seventh). */
function defaultDevice(routes: string): string | undefined {
  const defaults = routes
    .split('\n')
    .map((line) => line.split(/\s+/))
    .filter(([, destination]) => destination === '00000000');
  return defaults.sort((one, other) => Number(one[6]) - Number(other[6])).at(0)?.[0];
}

function readRoutes(): string {
  try {
    return readFileSync('/proc/net/route', 'utf8');
  } catch {
    return '';
  }
}
