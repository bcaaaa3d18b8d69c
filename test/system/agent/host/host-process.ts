import { fork, type ChildProcess } from 'node:child_process';
import { CallClient } from '../../../../src/base/calls/call-client.ts';
import { caller } from '../../../../src/base/calls/contract-caller.ts';
import { answer } from '../../../../src/base/calls/answer.ts';
import { serverMessageParser } from '../../../../src/base/calls/messages.ts';
import { childProcessPort } from '../../../../src/base/calls/process-port.ts';
import { agentMethods, type AgentMethods } from '../../../../src/ipc/contract/contract.ts';
import type { Call } from '../../../../src/base/calls/contract.ts';
import type { AppState } from '../../../../src/ipc/state.ts';
import { agentEvents, type AgentEvents, type Notice } from '../../../../src/ipc/agent-events.ts';
import { programFile } from '../../../helpers/program.ts';
import { slashedPaths } from '../../../helpers/slashed-paths.ts';

const MAIN = programFile('agent-host');

/** An agent host in its own process, started and called as by the app. */
export class HostProcess implements AsyncDisposable {
  readonly states: AppState[] = [];
  readonly notices: Notice[] = [];
  readonly call: Call<AgentMethods>;
  readonly #child: ChildProcess;
  readonly #listeners = new Set<() => void>();
  readonly #ready = Promise.withResolvers<void>();
  readonly #exit = Promise.withResolvers<void>();
  #error = '';

  constructor(home: string, environment: NodeJS.ProcessEnv = {}) {
    this.#child = fork(MAIN, {
      env: { ...process.env, HOLDFAST_HOME: home, ...environment },
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr!.on('data', (text: Buffer) => (this.#error += text.toString()));
    const port = childProcessPort(this.#child);
    const client = new CallClient<Record<string, (input: unknown) => unknown>, AgentEvents>(port, {
      parse: serverMessageParser(answer, agentEvents),
      onInvalid: () => {
        throw new Error('the host has sent a message that is not in the contract');
      },
      listeners: {
        ready: () => this.#ready.resolve(),
        state: (state) => {
          this.states.push(slashedPaths(state));
          this.#wake();
        },
        reportDue: () => undefined,
        notice: (notice) => {
          this.notices.push(slashedPaths(notice));
          this.#wake();
        },
        browse: () => undefined,
      },
    });
    this.#child.once('exit', () => this.#gone());
    this.#ready.promise.catch(() => undefined);
    this.call = caller(agentMethods, async (method, input) => {
      try {
        return slashedPaths(await client.call(method, input));
      } catch (error) {
        throw new Error(`the host has ended: ${this.#error}`, { cause: error });
      }
    });
  }

  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Its output on stderr. */
  get error(): string {
    return this.#error;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Waits for a state, starting with the newest. */
  async until(what: string, holds: (state: AppState) => boolean, patienceMs = 120_000): Promise<AppState> {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const state = this.states.at(-1);
      if (state && holds(state)) return state;
      if (Date.now() > deadline) throw new Error(`no state with ${what}; the last: ${JSON.stringify(state)}`);
      await this.#nextState(deadline - Date.now());
    }
  }

  /** Kills it, as a crash does. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exit.promise;
  }

  /** Ends it gracefully, as the app does. */
  async stop(): Promise<void> {
    await this.call('agent.stop', {});
    this.#child.disconnect();
    await this.#exit.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await this.kill();
  }

  #gone(): void {
    this.#ready.reject(new Error(`the host has ended: ${this.#error}`));
    this.#exit.resolve();
    this.#wake();
  }

  #wake(): void {
    for (const listener of this.#listeners) listener();
  }

  async #nextState(patienceMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.max(1, patienceMs));
    this.#listeners.add(resolve);
    await promise;
    clearTimeout(timer);
    this.#listeners.delete(resolve);
  }
}
