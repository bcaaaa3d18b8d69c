import type { AgentParts } from '../../context/agent-parts.ts';
import { requireSettings } from '../../home/settings.ts';
import { requireSet } from '../sets.ts';
import { UserTimers, type LoginState, type TimerUnit } from './user-timers.ts';

/** What runs by systemd for this person. */
export interface TimerStates extends LoginState {
  readonly sets: readonly { readonly name: string; readonly timer: TimerUnit }[];
}

export interface TimerChange {
  readonly set: string;
  readonly isOn: boolean;
  /** True if it is to run while nobody is signed in, too. A timer that is switched off changes nothing about that. */
  readonly withoutLogin: boolean;
}

/** @throws HoldfastError `timer_failed` */
export async function timerStates({ home, environment }: AgentParts): Promise<TimerStates> {
  const timers = new UserTimers(environment);
  const sets: { name: string; timer: TimerUnit }[] = [];
  for (const { name } of requireSettings(home).sets) sets.push({ name, timer: await timers.state(name) });
  return { sets, ...(await timers.login()) };
}

/**
 * Switches the hourly timer of a set. It stays on if systemd refuses to run it without a login; the result then says so.
 *
 * @throws HoldfastError `timer_failed`, `set_unknown`
 */
export async function switchTimer(
  { home, environment }: AgentParts,
  { set, isOn, withoutLogin }: TimerChange,
): Promise<LoginState> {
  const { name } = requireSet(requireSettings(home), set);
  const timers = new UserTimers(environment);
  await timers.set(name, isOn);
  const before = await timers.login();
  return isOn && withoutLogin && before.withoutLogin !== 'yes' ? timers.setLogin(true) : before;
}
