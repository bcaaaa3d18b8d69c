import { createRequire } from 'node:module';
import { UNKNOWN_POWER, type Power, type PowerState, type Presence, type PriorityControl } from './ports.ts';
import { outputOf } from './program-output.ts';

export const macosPower: PowerState = {
  async read() {
    const output = await outputOf('/usr/bin/pmset', ['-g', 'batt']);
    return output === undefined ? UNKNOWN_POWER : powerOfPmset(output);
  },
};

export const macosPresence: Presence = {
  async idleSeconds() {
    const output = await outputOf('/usr/sbin/ioreg', ['-c', 'IOHIDSystem', '-d', '4']);
    return output === undefined ? undefined : idleSecondsOfIoreg(output);
  },
};

/**
 * @param output of `pmset -g batt` (pmset(1)): `Now drawing from 'Battery Power'`, `'AC Power'` or `'UPS Power'`, then
 *   `-InternalBattery-0 …	85%; discharging; …`
 */
export function powerOfPmset(output: string): Power {
  const source = /^Now drawing from '([^']+)'/m.exec(output)?.[1];
  const percent = /-InternalBattery-\d+[^\n]*?\b(\d{1,3})%/.exec(output)?.[1];
  return {
    onBattery: source === undefined ? undefined : source !== 'AC Power',
    percent: percent === undefined ? undefined : Number(percent),
  };
}

/** @param output of `ioreg -c IOHIDSystem`, with `"HIDIdleTime" = ` in nanoseconds since the last input */
export function idleSecondsOfIoreg(output: string): number | undefined {
  const nanoseconds = /"HIDIdleTime" = (\d+)/.exec(output)?.[1];
  return nanoseconds === undefined ? undefined : Number(nanoseconds) / 1e9;
}

interface Koffi {
  load(library: string): { func(definition: string): (which: number, who: number, priority: number) => number };
}

// <sys/resource.h>; setpriority(2): who 0 is this process. Unlike a nice value, this can be reset.
const PRIO_DARWIN_PROCESS = 4;
const PRIO_DARWIN_BG = 0x1000;

/** Background state of the whole process, which also lowers its disk priority. */
export class DarwinBackground implements PriorityControl {
  readonly #set: (priority: number) => boolean;
  #lowered = false;

  constructor() {
    const koffi = createRequire(import.meta.url)('koffi') as Koffi;
    const call = koffi.load('libSystem.B.dylib').func('int setpriority(int which, unsigned int who, int priority)');
    this.#set = (priority) => call(PRIO_DARWIN_PROCESS, 0, priority) === 0;
  }

  lower(): boolean {
    this.#lowered ||= this.#set(PRIO_DARWIN_BG);
    return this.#lowered;
  }

  restore(): boolean {
    if (this.#lowered) this.#lowered = !this.#set(0);
    return !this.#lowered;
  }
}
