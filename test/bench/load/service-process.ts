import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../helpers/free-port.ts';

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

export interface ServiceProcessOptions {
  readonly log?: number | 'inherit';
  /** Variables in addition to those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
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
  readonly #log: number | 'inherit';
  #child: ChildProcess | undefined;
  #cpuBefore = 0;

  private constructor(url: string, config: string, log: number | 'inherit') {
    this.url = url;
    this.#config = config;
    this.#log = log;
  }

  /**
   * @param folder stores its data and its config
   * @param log a file descriptor for its log
   */
  static async start(
    folder: string,
    stores: ServiceStores,
    { log = 'inherit', environment = {} }: ServiceProcessOptions = {},
  ): Promise<ServiceProcess> {
    const port = await freePort();
    const config = join(folder, 'service.json');
    const limits = { requestsPerAddress: NO_LIMIT, requestsPerAccount: NO_LIMIT, signInsPerAddress: NO_LIMIT };
    writeFileSync(
      config,
      JSON.stringify({ data: join(folder, 'data'), port, logLevel: 'error', ...limits, ...stores }),
    );
    const service = new ServiceProcess(`http://127.0.0.1:${port}`, config, log);
    await service.start(environment);
    return service;
  }

  /** @param environment variables in addition to those of this process */
  async start(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    const child = spawn(PROGRAM, ['service', 'start', '--config', this.#config], {
      stdio: ['ignore', 'pipe', this.#log],
      env: { ...process.env, ...environment },
    });
    this.#child = child;
    this.#cpuBefore = 0;
    const ended = once(child, 'exit').then(([status, signal]) => {
      throw new Error(`the service ended with ${status ?? signal} before it was ready`);
    });
    ended.catch(() => undefined);
    await Promise.race([once(createInterface(child.stdout!), 'line'), ended]);
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Sends a signal that does not end the process. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child!.kill(signal);
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
