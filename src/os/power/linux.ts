import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Power, PowerState, Presence } from './ports.ts';
import { outputOf } from './program-output.ts';

const POWER_SUPPLIES = '/sys/class/power_supply';

/** File contents of one folder of /sys/class/power_supply (Documentation/ABI). */
export type PowerSupply = Readonly<Partial<Record<(typeof SUPPLY_FILES)[number], string>>>;

const SUPPLY_FILES = ['type', 'scope', 'online', 'present', 'status', 'capacity'] as const;

export const linuxPower: PowerState = { read: () => Promise.resolve(powerOf(readSupplies(POWER_SUPPLIES))) };

/** logind's idle state over all sessions, since a run as root may disturb any of them. */
export const logindPresence: Presence = {
  async idleSeconds() {
    const words = ['show-session', '--property=IdleHint', '--property=IdleSinceHint'];
    const output = await outputOf('loginctl', words);
    return output === undefined ? undefined : idleSecondsOfLogind(output, Date.now());
  },
};

/**
 * Follows systemd's ConditionACPower: mains power takes precedence over a discharging battery. Batteries of mice and headsets
 * (`scope` Device) are ignored.
 */
export function powerOf(supplies: readonly PowerSupply[]): Power {
  const ours = supplies.filter(({ scope }) => scope !== 'Device');
  const batteries = ours.filter(({ type, present }) => type === 'Battery' && present !== '0');
  const charges = batteries.map(({ capacity }) => Number(capacity)).filter((charge) => Number.isInteger(charge));
  const percent = charges.length === 0 ? undefined : charges.reduce((sum, charge) => sum + charge) / charges.length;
  const onMains = ours.some(({ type, online }) => type === 'Mains' && online === '1');
  const onBattery = !onMains && batteries.some(({ status }) => status === 'Discharging');
  return { onBattery: ours.length === 0 ? undefined : onBattery, percent };
}

/**
 * @param output of `loginctl show-session` without a session: `IdleHint=yes`, and `IdleSinceHint=` in microseconds since
 *   the epoch, 0 if nobody is signed in
 * @param now milliseconds since the epoch
 */
export function idleSecondsOfLogind(output: string, now: number): number | undefined {
  const values = new Map(output.split('\n').map((line) => line.split('=') as [string, string | undefined]));
  if (values.get('IdleHint') === 'no') return 0;
  const since = Number(values.get('IdleSinceHint') ?? 0) / 1000;
  return values.get('IdleHint') === 'yes' && since > 0 ? Math.max(0, (now - since) / 1000) : undefined;
}

/** @param folder such as /sys/class/power_supply; it may be missing */
export function readSupplies(folder: string): readonly PowerSupply[] {
  try {
    return readdirSync(folder).map((name) => readSupply(join(folder, name)));
  } catch {
    return [];
  }
}

function readSupply(folder: string): PowerSupply {
  const supply: Partial<Record<(typeof SUPPLY_FILES)[number], string>> = {};
  for (const file of SUPPLY_FILES) {
    try {
      supply[file] = readFileSync(join(folder, file), 'utf8').trim();
    } catch {
      // Each kind of supply has only some of the files, and a battery may be removed at any time.
    }
  }
  return supply;
}
