import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceProcess } from './service-process.ts';
import type { ServiceStores } from './service-process.ts';

/** One service in one or several processes, each with its own folder, as behind a load balancer. */
export class ServiceFleet {
  readonly processes: readonly ServiceProcess[];
  #next = 0;

  private constructor(processes: readonly ServiceProcess[]) {
    this.processes = processes;
  }

  /** @param number the number of processes; several need shared stores */
  static async start(folder: string, number: number, stores: ServiceStores): Promise<ServiceFleet> {
    const processes: ServiceProcess[] = [];
    for (let index = 0; index < number; index += 1) {
      const own = join(folder, `process-${index}`);
      mkdirSync(join(own, 'data'), { recursive: true });
      processes.push(await ServiceProcess.start(own, stores));
    }
    return new ServiceFleet(processes);
  }

  get urls(): readonly string[] {
    return this.processes.map(({ url }) => url);
  }

  /** Kills and restarts the processes one after the other. */
  async killNext(): Promise<void> {
    const service = this.processes[this.#next % this.processes.length]!;
    this.#next += 1;
    await service.kill('SIGKILL');
    await service.start();
  }

  async killAll(): Promise<void> {
    await Promise.all(this.processes.map((service) => service.kill('SIGKILL')));
  }

  async startAll(): Promise<void> {
    for (const service of this.processes) await service.start();
  }
}
