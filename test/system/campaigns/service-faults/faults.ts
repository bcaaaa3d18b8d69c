import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BackupLoad } from '../../../bench/load/backup-load.ts';
import type { ServiceWorld } from './service-world.ts';

/** Milliseconds for which something that is frozen stays so. */
const FROZEN = 1_500;

/** A clock that is this many seconds ahead is within what devices and buckets tolerate. */
const AHEAD = 240;

export interface Fault {
  readonly name: string;
  /** True if PostgreSQL needs a disk of its own, which not every user may mount. */
  readonly needsDisk?: true;
  /** Breaks something under load, and mends it. */
  readonly happen: (world: ServiceWorld, load: BackupLoad) => Promise<void>;
}

export const FAULTS: readonly Fault[] = [
  {
    name: 'none',
    happen: async () => undefined,
  },
  {
    name: 'a process is killed',
    happen: async ({ processes, environment }, load) => {
      await processes[0]!.kill('SIGKILL');
      await repeated(load);
      await processes[0]!.start(environment);
    },
  },
  {
    name: 'both are restarted, one after the other',
    happen: async ({ processes, environment }, load) => {
      for (const service of processes) {
        await service.kill('SIGTERM');
        await repeated(load);
        await service.start(environment);
        await acknowledged(load);
      }
    },
  },
  {
    name: 'a process is paused',
    happen: async ({ processes }) => {
      processes[0]!.signal('SIGSTOP');
      await sleep(FROZEN);
      processes[0]!.signal('SIGCONT');
    },
  },
  ...(['fast', 'immediate'] as const).map((shutdown): Fault => ({
    name: `PostgreSQL is restarted (${shutdown})`,
    happen: async ({ postgres }, load) => {
      await postgres.halt(shutdown);
      await repeated(load);
      await postgres.resume();
    },
  })),
  {
    name: 'the disk of PostgreSQL is full',
    needsDisk: true,
    happen: async ({ disk, postgres }, load) => {
      disk!.fill();
      await repeated(load);
      disk!.empty();
      // It ends if it cannot write its log.
      if (!postgres.isRunning) await postgres.resume();
    },
  },
  {
    name: 'the object store is killed',
    happen: async ({ store, address }, load) => {
      await store.killGateway();
      await repeated(load);
      await store.restartGateway(address);
    },
  },
  {
    name: 'the object store is frozen',
    happen: async ({ store }) => {
      store.signalGateway('SIGSTOP');
      await sleep(FROZEN);
      store.signalGateway('SIGCONT');
    },
  },
  {
    name: `the clock of a process is ${AHEAD / 60} minutes ahead`,
    happen: async ({ processes, environment }, load) => {
      const preload = `--import ${join(import.meta.dirname, 'clock-ahead.mjs')}`;
      const ahead = { NODE_OPTIONS: preload, HOLDFAST_TEST_CLOCK_AHEAD: String(AHEAD) };
      await processes[0]!.kill('SIGTERM');
      await processes[0]!.start({ ...environment, ...ahead });
      await acknowledged(load);
      await processes[0]!.kill('SIGTERM');
      await processes[0]!.start(environment);
    },
  },
];

/** Waits until devices have met the fault. */
export function repeated(load: BackupLoad, times = 5): Promise<void> {
  const before = load.retries;
  return load.until(() => load.retries >= before + times);
}

/** Waits until backups are completed again: some that began before, and some that began since. */
export function acknowledged(load: BackupLoad, times = load.devices * 2): Promise<void> {
  const before = load.acknowledged;
  return load.until(() => load.acknowledged >= before + times);
}
