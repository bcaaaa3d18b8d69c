import { UNKNOWN_NETWORK } from '../../os/power/network.ts';
import { networkState } from '../../os/power/network-system.ts';
import { UNKNOWN_POWER } from '../../os/power/ports.ts';
import { powerSystem } from '../../os/power/system.ts';
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
