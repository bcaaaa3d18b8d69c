import { UNKNOWN_NETWORK } from '../../engine/power/network.ts';
import { networkState } from '../../engine/power/network-system.ts';
import { UNKNOWN_POWER } from '../../engine/power/ports.ts';
import { powerSystem } from '../../engine/power/system.ts';
import type { Readings } from './ports.ts';

/** The readings of this computer. A failed one counts as unknown. */
export const systemReadings: Readings = {
  power: {
    async read() {
      try {
        return await (await powerSystem(false)).power.read();
      } catch {
        return UNKNOWN_POWER;
      }
    },
  },
  network: {
    async read() {
      try {
        return await (await networkState()).read();
      } catch {
        return UNKNOWN_NETWORK;
      }
    },
  },
};
