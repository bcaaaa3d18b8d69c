import { describe, expect, test } from 'vitest';
import { linuxNetwork, networkOfNmcli } from '../../../../src/os/power/linux-network.ts';
import { deviceOfRoute, networkOfMacos } from '../../../../src/os/power/macos-network.ts';
import { networkOfProfile } from '../../../../src/os/power/windows-network.ts';

const UNKNOWN = { isOnline: undefined, isMetered: undefined, medium: undefined, name: undefined };

describe('Linux', () => {
  /** Output of nmcli 1.42.4 for a device. */
  const device = (name: string, type: string, state: string, metered: string, gateway = ''): string =>
    `GENERAL.DEVICE:${name}\nGENERAL.TYPE:${type}\nGENERAL.STATE:${state}\nGENERAL.METERED:${metered}\nIP4.GATEWAY:${gateway}\nIP6.GATEWAY:\n`;
  const wired = device('eth0', 'ethernet', '100 (connected)', 'no (guessed)', '10.9.0.1');
  const wireless = device('wlan0', 'wifi', '100 (connected)', 'yes', '192.168.43.1');
  const loopback = device('lo', 'loopback', '30 (disconnected)', 'unknown');
  const tunnel = device('tun0', 'tun', '100 (connected (externally))', 'unknown', '10.8.0.1');
  const route = (name: string, metric: number): string =>
    `${name}\t00000000\t0100090A\t0003\t0\t0\t${metric}\t00000000\t0\t0\t0                 \n`;
  const ROUTES = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT      \n';
  const NAMES = 'no:wlan0:Café\nyes:wlan0:Home\\: 2nd \\\\ floor\n';

  test.each<[string, readonly string[], string, string, unknown]>([
    ['a cable', [wired, loopback], '', '', { isOnline: true, isMetered: false, medium: 'wired', name: undefined }],
    [
      'a wireless network',
      [wireless, loopback],
      NAMES,
      '',
      { isOnline: true, isMetered: true, medium: 'wireless', name: 'Home: 2nd \\ floor' },
    ],
    [
      'a hidden one',
      [wireless],
      'yes:wlan0:\n',
      '',
      { isOnline: true, isMetered: true, medium: 'wireless', name: undefined },
    ],
    [
      'both: the way out decides',
      [wireless, wired, tunnel],
      NAMES,
      `${ROUTES}${route('wlan0', 600)}${route('eth0', 100)}`,
      { isOnline: true, isMetered: false, medium: 'wired', name: undefined },
    ],
    [
      'a tunnel over a wireless network',
      [tunnel, wireless],
      NAMES,
      `${ROUTES}${route('tun0', 50)}${route('wlan0', 600)}`,
      { isOnline: true, isMetered: true, medium: 'wireless', name: 'Home: 2nd \\ floor' },
    ],
    [
      'a modem',
      [device('ttyUSB2', 'gsm', '100 (connected)', 'yes (guessed)')],
      '',
      '',
      { isOnline: true, isMetered: true, medium: undefined, name: undefined },
    ],
    [
      'not said',
      [device('eth0', 'ethernet', '100 (connected)', 'unknown', '10.9.0.1')],
      '',
      '',
      { isOnline: true, isMetered: undefined, medium: 'wired', name: undefined },
    ],
    [
      'disconnected',
      [device('wlan0', 'wifi', '30 (disconnected)', 'unknown'), loopback],
      '',
      '',
      { ...UNKNOWN, isOnline: false },
    ],
    [
      'a cable to nowhere',
      [device('eth0', 'ethernet', '100 (connected)', 'no (guessed)')],
      '',
      '',
      { ...UNKNOWN, isOnline: false },
    ],
    ['left to somebody else', [device('eth0', 'ethernet', '10 (unmanaged)', 'unknown'), loopback], '', '', UNKNOWN],
    ['nothing said', [], '', '', UNKNOWN],
  ])('%s', (_, devices, names, routes, expected) => {
    expect(networkOfNmcli(devices.join('\n'), names, routes)).toEqual(expected);
  });

  test.skipIf(process.platform !== 'linux')("reads this computer's network", async () => {
    expect(Object.keys(await linuxNetwork.read()).sort()).toEqual(['isMetered', 'isOnline', 'medium', 'name']);
  });
});

describe('macOS', () => {
  const PORTS = `
Hardware Port: Ethernet
Device: en5
Ethernet Address: 00:00:5e:00:53:01

Hardware Port: Wi-Fi
Device: en0
Ethernet Address: 00:00:5e:00:53:02

VLAN Configurations
===================
`;
  const summary = (ssid: string): string =>
    `<dictionary> {\n  BSSID : <redacted>\n  SSID : ${ssid}\n  Security : WPA2_PSK\n}`;
  const flags = (names: string): string =>
    `en0: flags=8863<UP,BROADCAST,RUNNING> mtu 1500 index 11\n\teflags=412008c0<${names}>\n\txflags=4004<NOAUTONX>\n`;

  test('reads the interface of the default route', () => {
    const output =
      '   route to: default\ndestination: default\n    gateway: 192.168.1.1\n  interface: en0\n      flags: <UP>\n';
    expect(deviceOfRoute(output)).toBe('en0');
    expect(deviceOfRoute('route: writing to routing socket: not in table\n')).toBeUndefined();
  });

  test.each([
    [
      'wireless',
      'en0',
      summary('Home'),
      flags('ACCEPT_RTADV,TXSTART'),
      { isMetered: false, medium: 'wireless', name: 'Home' },
    ],
    [
      'a hotspot',
      'en0',
      summary('Phone'),
      flags('ACCEPT_RTADV,EXPENSIVE'),
      { isMetered: true, medium: 'wireless', name: 'Phone' },
    ],
    [
      'a name that is kept',
      'en0',
      summary('<redacted>'),
      flags(''),
      { isMetered: false, medium: 'wireless', name: undefined },
    ],
    ['a cable', 'en5', '', flags('TXSTART'), { isMetered: false, medium: 'wired', name: undefined }],
    ['something else', 'utun3', '', '', { isMetered: undefined, medium: undefined, name: undefined }],
  ])('%s', (_, device, about, verbose, expected) => {
    expect(networkOfMacos(device, PORTS, about, verbose)).toEqual({ isOnline: true, ...expected });
  });
});

describe('Windows', () => {
  const at = { online: true, cost: 'Unrestricted', roaming: false, wlan: false, wwan: false, ssid: null };

  test.each<[string, string, unknown]>([
    ['a cable', JSON.stringify(at), { isOnline: true, isMetered: false, medium: 'wired', name: undefined }],
    [
      'wireless',
      JSON.stringify({ ...at, wlan: true, ssid: 'Home' }),
      { isOnline: true, isMetered: false, medium: 'wireless', name: 'Home' },
    ],
    [
      'metered',
      JSON.stringify({ ...at, cost: 'Fixed', wlan: true, ssid: 'Phone' }),
      { isOnline: true, isMetered: true, medium: 'wireless', name: 'Phone' },
    ],
    [
      'a modem abroad',
      JSON.stringify({ ...at, roaming: true, wwan: true }),
      { isOnline: true, isMetered: true, medium: undefined, name: undefined },
    ],
    [
      'cost unknown',
      JSON.stringify({ ...at, cost: 'Unknown' }),
      { isOnline: true, isMetered: undefined, medium: 'wired', name: undefined },
    ],
    ['no network', '{"online":false}\r\n', { ...UNKNOWN, isOnline: false }],
    ['an error', 'Unable to find type', UNKNOWN],
    ['something else', '[]', UNKNOWN],
  ])('%s', (_, output, expected) => {
    expect(networkOfProfile(output)).toEqual(expected);
  });
});
