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
 * Switches the hourly timer of a set. It stays on if systemd refuses to run it without a login; the result then says so. For a person who
 * is not signed in there is no systemd to ask before it runs without a login.
 *
 * @throws HoldfastError `timer_failed`, `set_unknown`
 */
export async function switchTimer(
  { home, environment }: AgentParts,
  { set, isOn, withoutLogin }: TimerChange,
): Promise<LoginState> {
  const { name } = requireSet(requireSettings(home), set);
  const timers = new UserTimers(environment);
  const before = await timers.login();
  const isWanted = isOn && withoutLogin && before.withoutLogin !== 'yes';
  if (!isWanted || timers.isRunning) {
    await timers.set(name, isOn);
    return isWanted ? timers.setLogin(true) : before;
  }
  const state = await timers.start();
  try {
    await timers.set(name, isOn);
  } catch (error) {
    await timers.setLogin(false);
    throw error;
  }
  return state;
}
