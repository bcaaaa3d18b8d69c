import { expect } from 'vitest';
import { performHere } from '../../../../src/agent/agent.ts';
import { homeAt } from '../../../../src/agent/home/home.ts';
import { AgentHost } from '../../../../src/agent/host/host.ts';
import { HomeKeyStore } from '../../../../src/agent/key-store/home-key-store.ts';
import type { Timers } from '../../../../src/agent/schedule/ports.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { UNKNOWN_NETWORK } from '../../../../src/os/power/network.ts';
import { UNKNOWN_POWER } from '../../../../src/os/power/ports.ts';
import type { SetForm } from '../../../../src/model/set.ts';
import type { AppState } from '../../../../src/ipc/state.ts';
import type { Notice } from '../../../../src/ipc/agent-events.ts';
import { MemoryKeychain } from '../../../helpers/keyring/memory-keychain.ts';
import { slashedPaths } from '../../../helpers/slashed-paths.ts';

/** An agent host in this process, with a clock and timers controlled by the test. */
export class HostInTime implements AsyncDisposable {
  readonly states: AppState[] = [];
  readonly notices: Notice[] = [];
  readonly #host: AgentHost;
  readonly #wake = new Set<() => void>();
  #offset = 0;

  constructor(homeFolder: string) {
    const home = homeAt(homeFolder);
    /** Fire when the test advances the time. */
    const timers: Timers = {
      after: (_milliseconds, run) => {
        this.#wake.add(run);
        return () => this.#wake.delete(run);
      },
    };
    this.#host = new AgentHost({
      home,
      environment: {},
      clock: { ...systemClock, now: () => Date.now() + this.#offset },
      timers,
      readings: {
        power: { read: () => Promise.resolve(UNKNOWN_POWER) },
        network: { read: () => Promise.resolve(UNKNOWN_NETWORK) },
      },
      perform: performHere,
      keyStore: new HomeKeyStore(home, new MemoryKeychain()),
      emit: (name, value) => {
        if (name === 'state') this.states.push(slashedPaths(value as AppState));
        if (name === 'notice') this.notices.push(slashedPaths(value as Notice));
      },
    });
  }

  start(): void {
    this.#host.start();
  }

  async call(method: string, input: object): Promise<unknown> {
    const answer = await this.#host.call(method, input);
    if (!answer.ok) throw new Error(JSON.stringify(answer.failure));
    return slashedPaths(answer.value);
  }

  /** Advances the clock and fires all timers: each callback checks whether its time has come. */
  pass(milliseconds: number): void {
    this.#offset += milliseconds;
    const waiting = [...this.#wake];
    this.#wake.clear();
    for (const run of waiting) run();
  }

  /** Waits for a state without advancing the time. */
  async seen(holds: (state: AppState) => boolean): Promise<AppState> {
    await expect.poll(() => this.states.some(holds), { timeout: 120_000, interval: 50 }).toBe(true);
    return this.states.find(holds)!;
  }

  /** Waits for a state while the time advances quickly. The scheduler treats that as sleep, and waits for the network. */
  async until(holds: (state: AppState) => boolean): Promise<AppState> {
    await expect
      .poll(
        () => {
          this.pass(2000);
          return this.states.some(holds);
        },
        { timeout: 120_000, interval: 100 },
      )
      .toBe(true);
    return this.states.find(holds)!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#host.close();
  }
}

/** Returns a set as the editor sends it. */
export function setForm(root: string, schedule: string): SetForm {
  return {
    name: 'Documents',
    roots: [root],
    excludes: [],
    presets: [],
    oneFileSystem: false,
    privateNames: false,
    schedule,
    conditions: {},
    limits: {},
  };
}
