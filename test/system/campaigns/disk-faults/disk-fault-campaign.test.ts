import { expect, test } from 'vitest';
import { canTrace } from '../../repository/power-loss/place.ts';
import { runDiskFaultCampaign, type DiskFault } from './disk-fault-campaign.ts';

test('a full or failing disk is named, and nothing that was backed up is lost', async () => {
  // A backup, a restore and a retention; `npm run campaign -- disk-faults` tries the other commands, too, and random faults.
  const faults: DiskFault[] = [
    { kind: 'call', call: 'write', at: 2, code: 'ENOSPC', isLasting: true },
    { kind: 'call', call: canTrace() ? 'syncfs' : 'write', at: 1, code: 'EIO', isLasting: true },
    { kind: 'call', call: 'pwrite64', at: 1, code: 'EIO', isLasting: true },
  ];
  const { runs, faulty, failures } = await runDiskFaultCampaign({ seed: 1, runs: 3, faults });
  expect(failures).toEqual([]);
  expect(runs).toBe(3);
  expect(faulty).toBe(canTrace() ? 3 : 2);
});
