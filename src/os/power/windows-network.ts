import { z } from 'zod';
import { UNKNOWN_NETWORK, type Network, type NetworkState } from './network.ts';
import { jsonIn, outputOfPowerShell } from './powershell.ts';

/** Windows PowerShell 5.1 can read Windows.Networking.Connectivity without further software. */
const SCRIPT = `
$profile = [Windows.Networking.Connectivity.NetworkInformation, Windows.Networking.Connectivity, ContentType = WindowsRuntime]::GetInternetConnectionProfile()
if (-not $profile) { '{"online":false}'; exit }
$cost = $profile.GetConnectionCost()
$wlan = $profile.IsWlanConnectionProfile
@{
  online = $true
  cost = [string]$cost.NetworkCostType
  roaming = $cost.Roaming
  wlan = $wlan
  wwan = $profile.IsWwanConnectionProfile
  ssid = if ($wlan) { $profile.WlanConnectionProfileDetails.GetConnectedSsid() }
} | ConvertTo-Json -Compress`;

export const windowsNetwork: NetworkState = {
  async read() {
    const output = await outputOfPowerShell(SCRIPT);
    return output === undefined ? UNKNOWN_NETWORK : networkOfProfile(output);
  },
};

const connection = z.object({
  online: z.boolean(),
  /** NetworkCostType. */
  cost: z.string().optional(),
  roaming: z.boolean().optional(),
  wlan: z.boolean().optional(),
  wwan: z.boolean().optional(),
  ssid: z.string().nullish(),
});

/** @param output JSON of the script's object */
export function networkOfProfile(output: string): Network {
  const parsed = connection.safeParse(jsonIn(output));
  if (!parsed.success) return UNKNOWN_NETWORK;
  const { online, cost, roaming = false, wlan, wwan, ssid } = parsed.data;
  if (!online) return { ...UNKNOWN_NETWORK, isOnline: false };
  const isKnown = cost !== undefined && cost !== 'Unknown';
  return {
    isOnline: true,
    isMetered: roaming || (isKnown ? cost !== 'Unrestricted' : undefined),
    medium: wlan === true ? 'wireless' : wlan === false && wwan === false ? 'wired' : undefined,
    name: wlan === true ? (ssid ?? undefined) : undefined,
  };
}
