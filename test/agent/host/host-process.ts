import { fork, type ChildProcess } from 'node:child_process';
import { caller } from '../../../src/base/calls/caller.ts';
import { agentMethods, type AgentMethods } from '../../../src/ipc/contract/contract.ts';
import type { Call } from '../../../src/base/calls/method.ts';
import type { AppState } from '../../../src/ipc/state.ts';
import { fromAgent, type Notice } from '../../../src/ipc/agent-events.ts';
import { programFile } from '../../helpers/program.ts';

const MAIN = programFile('agent-host');

interface Pending {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The agent host as a process of its own, as the app starts it, asked and listened to as the app does. */
export class HostProcess implements AsyncDisposable {
  readonly states: AppState[] = [];
  readonly notices: Notice[] = [];
  readonly call: Call<AgentMethods>;
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Set<() => void>();
  readonly #ready = Promise.withResolvers<void>();
  readonly #exit = Promise.withResolvers<void>();
  #error = '';
  #lastId = 0;

  constructor(home: string, environment: NodeJS.ProcessEnv = {}) {
    this.#child = fork(MAIN, {
      env: { ...process.env, HOLDFAST_HOME: home, ...environment },
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr!.on('data', (text: Buffer) => (this.#error += text.toString()));
    this.#child.on('message', (message) => this.#take(message));
    this.#child.once('exit', () => this.#gone());
    this.#ready.promise.catch(() => undefined);
    this.call = caller(agentMethods, (method, input) => this.#ask(method, input));
  }

  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** What it wrote where people look for mistakes. */
  get error(): string {
    return this.#error;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** The newest state that it told, or the next one, of which something holds. */
  async until(what: string, holds: (state: AppState) => boolean, patienceMs = 30_000): Promise<AppState> {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const state = this.states.at(-1);
      if (state && holds(state)) return state;
      if (Date.now() > deadline) throw new Error(`no state with ${what}; the last: ${JSON.stringify(state)}`);
      await this.#told(deadline - Date.now());
    }
  }

  /** As a crash ends it. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exit.promise;
  }

  /** In order, as the app ends it. */
  async stop(): Promise<void> {
    await this.call('agent.stop', {});
    this.#child.disconnect();
    await this.#exit.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await this.kill();
  }

  #ask(method: string, input: unknown): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#child.send({ kind: 'call', id, method, input });
    });
  }

  #take(message: unknown): void {
    const told = fromAgent.parse(message);
    switch (told.kind) {
      case 'ready':
        this.#ready.resolve();
        break;
      case 'answer':
        this.#pending.get(told.id)?.resolve(told.answer);
        this.#pending.delete(told.id);
        break;
      case 'state':
        this.states.push(told.state);
        break;
      case 'notice':
        this.notices.push(told.notice);
        break;
      case 'browse':
        break;
    }
    for (const listener of this.#listeners) listener();
  }

  #gone(): void {
    const error = new Error(`the host has ended: ${this.#error}`);
    for (const { reject } of this.#pending.values()) reject(error);
    this.#ready.reject(error);
    this.#exit.resolve();
    for (const listener of this.#listeners) listener();
  }

  async #told(patienceMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.max(1, patienceMs));
    this.#listeners.add(resolve);
    await promise;
    clearTimeout(timer);
    this.#listeners.delete(resolve);
  }
}
