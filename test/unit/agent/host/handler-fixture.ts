import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { agentOf, type Agent } from '../../../../src/agent/agent.ts';
import type { AgentParts } from '../../../../src/agent/context/agent-parts.ts';
import { type Failure, failureOf } from '../../../../src/base/errors/failure.ts';
import { homeAt, type Home } from '../../../../src/agent/home/home.ts';
import type { HandlerContext } from '../../../../src/agent/host/handler-context.ts';
import { operationHandlers, type OwnHandlers } from '../../../../src/agent/host/operation-handlers.ts';
import type { RunQueue } from '../../../../src/agent/host/runs/run-queue.ts';
import { HomeKeyStore } from '../../../../src/agent/key-store/home-key-store.ts';
import { SystemKeychain } from '../../../../src/agent/key-store/keychain.ts';
import { CHEAP } from '../../../helpers/service/cheap-passwords.ts';
import { systemClock, type Clock } from '../../../../src/base/clock.ts';
import { caller } from '../../../../src/base/calls/contract-caller.ts';
import type { Call, Contract, Handlers } from '../../../../src/base/calls/contract.ts';
import { serve } from '../../../../src/base/calls/serve-contract.ts';

/** A temporary home with the context of handlers. Refuses runs unless a test passes a queue. */
export class HandlerFixture {
  readonly folder = mkdtempSync(join(tmpdir(), 'holdfast-host-'));
  readonly home: Home = homeAt(this.path('home'));
  readonly agent: Agent;
  readonly parts: AgentParts;
  readonly browsed: string[] = [];
  /** The numbers of notified changes of the state and of the sets. */
  readonly notified = { changed: 0, setsChanged: 0 };
  #offset = 0;

  constructor() {
    const clock: Clock = { ...systemClock, now: () => Date.now() + this.#offset };
    this.parts = {
      home: this.home,
      keyStore: new HomeKeyStore(this.home, new SystemKeychain({})),
      clock,
      passwordCost: CHEAP,
      environment: {},
    };
    this.agent = agentOf(this.parts);
  }

  /** The context of handlers. */
  host(runs?: RunQueue): HandlerContext {
    const refuse = { start: () => Promise.reject(new Error('no run was expected')) } as unknown as RunQueue;
    return {
      agent: this.agent,
      home: this.home,
      clock: this.parts.clock,
      runs: runs ?? refuse,
      scheduler: {
        setsChanged: () => void (this.notified.setsChanged += 1),
        pause: () => undefined,
        resume: () => undefined,
        wake: () => undefined,
      },
      changed: () => void (this.notified.changed += 1),
      browse: (url) => void this.browsed.push(url),
    };
  }

  /** Returns a caller of handlers and of operations, with the checks of both ends of the contract. */
  ask<Methods extends Contract>(contract: Methods, own: OwnHandlers<Methods>): Call<Methods> {
    const handlers = { ...operationHandlers(this.host()), ...own } as unknown as Handlers<Methods>;
    return caller(contract, (name, input) => serve(contract, handlers, name, structuredClone(input), explained));
  }

  advance(milliseconds: number): void {
    this.#offset += milliseconds;
  }

  path(...names: readonly string[]): string {
    return join(this.folder, ...names);
  }

  /** Writes a file and creates its folders. */
  write(name: string, content: string | Uint8Array = name): string {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), content);
    return this.path(name);
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function explained(error: unknown): Failure {
  const failure = failureOf(error);
  if (!failure) throw error;
  return failure;
}

/** Returns the failure of a call. */
export async function failureFrom(call: Promise<unknown>): Promise<Failure> {
  try {
    await call;
  } catch (error) {
    return explained(error);
  }
  throw new Error('it did not fail');
}
