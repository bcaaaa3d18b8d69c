import type { Network } from '../power/network.ts';
import type { Power } from '../power/ports.ts';
import type { WaitReason } from './decision.ts';

/** What has to hold before a scheduled run begins; nothing said means that it does not matter. */
export interface RunConditions {
  /** On battery, only from this charge on; percent. */
  readonly batteryAtLeast?: number | undefined;
  /** Never on battery. */
  readonly onlyOnMains?: boolean | undefined;
  /** Not over a network that costs by volume. */
  readonly notMetered?: boolean | undefined;
  /** Only over wireless networks (SSIDs) of these names. A cable is as good as any of them. */
  readonly networks?: readonly string[] | undefined;
}

export interface ConditionReadings {
  readonly power: Power;
  readonly network: Network;
}

/**
 * The first condition that does not hold. What the system does not say is taken as holding: a backup that waits for
 * an answer that never comes would be none.
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
