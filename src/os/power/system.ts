import type { PowerState, Presence, PriorityControl } from './ports.ts';
import { UNKNOWN_POWER } from './ports.ts';

/** Power, presence and priority of one operating system. */
export interface PowerSystem {
  readonly power: PowerState;
  readonly presence: Presence;
  readonly control: PriorityControl;
}

/**
 * Returns the implementation for this operating system; one that knows and changes nothing if there is none, since a backup
 * does not depend on it.
 *
 * @param endsWithRun whether the process does nothing after the run
 */
export async function powerSystem(endsWithRun: boolean): Promise<PowerSystem> {
  try {
    return (await systemOf(process.platform, endsWithRun)) ?? UNKNOWN_SYSTEM;
  } catch {
    return UNKNOWN_SYSTEM;
  }
}

async function systemOf(platform: NodeJS.Platform, endsWithRun: boolean): Promise<PowerSystem | undefined> {
  switch (platform) {
    case 'linux': {
      const [{ linuxPower, logindPresence }, { LinuxThreads }] = await Promise.all([
        import('./linux.ts'),
        import('./linux-threads.ts'),
      ]);
      return { power: linuxPower, presence: logindPresence, control: new LinuxThreads(endsWithRun) };
    }
    case 'darwin': {
      const { macosPower, macosPresence, DarwinBackground } = await import('./macos.ts');
      return { power: macosPower, presence: macosPresence, control: new DarwinBackground() };
    }
    case 'win32': {
      const { windowsPower, windowsPresence, ProcessClass } = await import('./windows.ts');
      return { power: windowsPower, presence: windowsPresence, control: new ProcessClass() };
    }
    default:
      return undefined;
  }
}

const UNKNOWN_SYSTEM: PowerSystem = {
  power: { read: () => Promise.resolve(UNKNOWN_POWER) },
  presence: { idleSeconds: () => Promise.resolve(undefined) },
  control: { lower: () => false, restore: () => true },
};
