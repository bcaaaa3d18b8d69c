import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

const PROGRAM = join(dirname(dirname(dirname(import.meta.dirname))), 'bin/holdfast');

/** Clock ticks per second in /proc, the same on every Linux. */
const TICKS = 100;
/** Disables the limits that a load from one address would exceed. */
const NO_LIMIT = 10_000_000;

/** The stores of a service, if they are not in its folder: as in its config. */
export interface ServiceStores {
  readonly database?: string;
  readonly objects?: string;
  readonly objectsEndpoint?: string;
  readonly objectsRegion?: string;
}

/** The resources used by a process since the last query. */
export interface Used {
  /** Processor time in seconds, user and system. */
  readonly cpu: number;
  /** The highest resident set, in bytes. */
  readonly peak: number;
}

/** `holdfast service start` in its own process, which can be killed and restarted on the same port. */
export class ServiceProcess {
  readonly url: string;
  readonly #config: string;
  #child: ChildProcess | undefined;
  #cpuBefore = 0;

  private constructor(url: string, config: string) {
    this.url = url;
    this.#config = config;
  }

  /** @param folder stores its data and its config */
  static async start(folder: string, stores: ServiceStores): Promise<ServiceProcess> {
    const port = await freePort();
    const config = join(folder, 'service.json');
    const limits = { requestsPerAddress: NO_LIMIT, requestsPerAccount: NO_LIMIT, signInsPerAddress: NO_LIMIT };
    writeFileSync(
      config,
      JSON.stringify({ data: join(folder, 'data'), port, logLevel: 'error', ...limits, ...stores }),
    );
    const service = new ServiceProcess(`http://127.0.0.1:${port}`, config);
    await service.start();
    return service;
  }

  async start(): Promise<void> {
    const child = spawn(PROGRAM, ['service', 'start', '--config', this.#config], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    this.#cpuBefore = 0;
    const ended = once(child, 'exit').then(([status, signal]) => {
      throw new Error(`the service ended with ${status ?? signal} before it was ready`);
    });
    ended.catch(() => undefined);
    await Promise.race([once(createInterface(child.stdout), 'line'), ended]);
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child!;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  /** Returns the use since the last call, or the start. */
  used(): Used {
    const pid = this.#child!.pid!;
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const cpu = (Number(fields[11]) + Number(fields[12])) / TICKS;
    const peak = Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024;
    const used = { cpu: cpu - this.#cpuBefore, peak };
    this.#cpuBefore = cpu;
    // Resets the kernel's highest resident set.
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    return used;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
