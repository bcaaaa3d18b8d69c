import { createRequire } from 'node:module';
import { constants, getPriority, setPriority } from 'node:os';
import { UNKNOWN_POWER, type Power, type PowerState, type Presence, type PriorityControl } from './ports.ts';

interface Koffi {
  load(library: string): { func(definition: string): (structure?: Uint8Array) => number };
}

/** Bytes of SYSTEM_POWER_STATUS and LASTINPUTINFO (Win32). */
const POWER_STATUS_SIZE = 12;
const LAST_INPUT_SIZE = 8;

export const windowsPower: PowerState = {
  async read() {
    const call = library('kernel32.dll').func('int __stdcall GetSystemPowerStatus(_Out_ uint8_t *status)');
    const status = new Uint8Array(POWER_STATUS_SIZE);
    return call(status) === 0 ? UNKNOWN_POWER : powerOfStatus(status);
  },
};

/** Presence in this process's session. A service's own session never has input. */
export const windowsPresence: Presence = {
  async idleSeconds() {
    const lastInput = library('user32.dll').func('int __stdcall GetLastInputInfo(_Inout_ uint8_t *info)');
    const ticks = library('kernel32.dll').func('uint32_t __stdcall GetTickCount()');
    const info = new Uint8Array(LAST_INPUT_SIZE);
    new DataView(info.buffer).setUint32(0, LAST_INPUT_SIZE, true);
    return lastInput(info) === 0 ? undefined : idleSecondsOfTicks(info, ticks());
  },
};

/** @param status SYSTEM_POWER_STATUS: ACLineStatus (0 off line, 1 on line, 255 unknown) first, BatteryLifePercent third */
export function powerOfStatus(status: Uint8Array): Power {
  const [line = 255, , percent = 255] = status;
  return {
    onBattery: line === 0 ? true : line === 1 ? false : undefined,
    percent: percent <= 100 ? percent : undefined,
  };
}

/**
 * @param info LASTINPUTINFO: its size, and the tick of the last input; both 32 bits
 * @param now the tick count, in milliseconds; it wraps to 0 after 49.7 days
 */
export function idleSecondsOfTicks(info: Uint8Array, now: number): number {
  const last = new DataView(info.buffer, info.byteOffset).getUint32(4, true);
  return ((now - last) >>> 0) / 1000;
}

/** Priority class of the whole process. Any process may raise it up to normal again. */
export class ProcessClass implements PriorityControl {
  #before: number | undefined;

  lower(): boolean {
    this.#before ??= getPriority();
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
    return true;
  }

  restore(): boolean {
    if (this.#before !== undefined) setPriority(this.#before);
    this.#before = undefined;
    return true;
  }
}

function library(name: string): ReturnType<Koffi['load']> {
  return (createRequire(import.meta.url)('koffi') as Koffi).load(name);
}
