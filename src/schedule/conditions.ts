import type { Network } from '../os/power/network.ts';
import type { Power } from '../os/power/ports.ts';
import type { WaitReason } from '../model/schedule/decision.ts';

/** Conditions for the start of a scheduled run. A missing one does not matter. */
export interface RunConditions {
  /** Percent. On battery, no run starts below this charge. */
  readonly batteryAtLeast?: number | undefined;
  /** Never on battery. */
  readonly onlyOnMains?: boolean | undefined;
  /** Not over a network that costs by volume. */
  readonly notMetered?: boolean | undefined;
  /** Only over wireless networks (SSIDs) of these names, or a cable. */
  readonly networks?: readonly string[] | undefined;
}

export interface ConditionReadings {
  readonly power: Power;
  readonly network: Network;
}

/**
 * Returns the first unmet condition. An unknown reading counts as met: otherwise a backup could wait forever for a reading
 * that the system never provides.
 */
export function unmetCondition(
  conditions: RunConditions,
  { power, network }: ConditionReadings,
): WaitReason | undefined {
  return unmetPower(conditions, power) ?? unmetNetwork(conditions, network);
}

function unmetPower({ onlyOnMains, batteryAtLeast }: RunConditions, power: Power): WaitReason | undefined {
  if (power.onBattery !== true) return undefined;
  const { percent } = power;
  if (onlyOnMains === true) return percent === undefined ? { kind: 'battery' } : { kind: 'battery', percent };
  const isLow = batteryAtLeast !== undefined && percent !== undefined && percent < batteryAtLeast;
  return isLow ? { kind: 'battery', percent, atLeast: batteryAtLeast } : undefined;
}

function unmetNetwork({ notMetered, networks = [] }: RunConditions, network: Network): WaitReason | undefined {
  if (notMetered === true && network.isMetered === true) return { kind: 'metered' };
  if (networks.length === 0) return undefined;
  if (network.isOnline === false) return { kind: 'network' };
  const { medium, name } = network;
  return medium === 'wireless' && name !== undefined && !networks.includes(name)
    ? { kind: 'network', name }
    : undefined;
}
