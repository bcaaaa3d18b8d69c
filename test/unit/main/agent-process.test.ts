import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AgentChild, ForkAgent } from '../../../src/main/agent/agent-process.ts';
import { AgentEnd, AgentProcess } from '../../../src/main/agent/agent-process.ts';
import { PROTECTED } from '../../app/renderer/states.ts';

const GONE = { ok: false, failure: { code: 'agent_gone', details: {} } };

/** A process controlled by the test. */
class FakeChild implements AgentChild {
  readonly posted: { readonly id: number; readonly name: string }[] = [];
  readonly #messageListeners: ((message: unknown) => void)[] = [];
  readonly #endListeners: ((reason: Error) => void)[] = [];
  isKilled = false;

  readonly post = (message: unknown): void => {
    this.posted.push(message as { readonly id: number; readonly name: string });
  };

  readonly onMessage = (listener: (message: unknown) => void): void => {
    this.#messageListeners.push(listener);
  };

  readonly onEnd = (listener: (reason: Error) => void): void => {
    this.#endListeners.push(listener);
  };

  readonly onErrorOutput = (): void => undefined;

  readonly kill = (): void => {
    if (this.isKilled) return;
    this.isKilled = true;
    queueMicrotask(() => this.exit(143));
  };

  send(message: unknown): void {
    for (const listener of this.#messageListeners) listener(message);
  }

  emit(name: string, value: unknown = {}): void {
    this.send({ kind: 'event', name, value });
  }

  exit(code: number): void {
    for (const listener of this.#endListeners) listener(new AgentEnd(code));
  }

  answer(index: number, value: unknown): void {
    this.send({ kind: 'value', id: this.posted[index]!.id, value: { ok: true, value } });
  }
}

let children: FakeChild[];
let calls: unknown[];
let agent: AgentProcess;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  children = [];
  calls = [];
  const fork: ForkAgent = () => {
    const child = new FakeChild();
    children.push(child);
    return child;
  };
  agent = new AgentProcess(fork, {
    onState: (state) => calls.push(['state', state.health]),
    onNotice: (notice) => calls.push(['notice', notice.kind]),
    onBrowse: (url) => calls.push(['browse', url]),
    onExit: (restartsAt, exitCode) => calls.push(['exit', restartsAt - Date.now(), exitCode]),
    onTrouble: () => undefined,
  });
  agent.start();
});

afterEach(() => vi.useRealTimers());

describe('AgentProcess', () => {
  test('sends waiting calls once the agent is ready, and matches each answer to its call', async () => {
    const first = agent.call('devices.list', {});
    const second = agent.call('runs.stop', { run: 1 });
    expect(children[0]!.posted).toEqual([]);
    children[0]!.emit('ready');
    expect(children[0]!.posted.map(({ name }) => name)).toEqual(['devices.list', 'runs.stop']);
    children[0]!.answer(1, 'second');
    children[0]!.answer(0, 'first');
    expect([await first, await second]).toEqual([
      { ok: true, value: 'first' },
      { ok: true, value: 'second' },
    ]);
  });

  test('reports states, notices and addresses', () => {
    children[0]!.emit('ready');
    children[0]!.emit('state', PROTECTED);
    children[0]!.emit('notice', { kind: 'verification-failed', set: 'Documents' });
    children[0]!.emit('browse', 'https://id.example.org/');
    expect(calls).toEqual([
      ['state', 'protected'],
      ['notice', 'verification-failed'],
      ['browse', 'https://id.example.org/'],
    ]);
  });

  test('restarts the agent when it ends, and fails its pending calls', async () => {
    children[0]!.emit('ready');
    const asked = agent.call('runs.backup', { set: 'Documents' });
    children[0]!.exit(139);
    expect(await asked).toEqual(GONE);
    expect(calls).toEqual([['exit', 500, 139]]);
    const next = agent.call('devices.list', {});
    await vi.advanceTimersByTimeAsync(500);
    expect(children).toHaveLength(2);
    children[1]!.emit('ready');
    children[1]!.answer(0, 'back');
    expect(await next).toEqual({ ok: true, value: 'back' });
  });

  test('doubles the restart delay up to a minute when the agent keeps ending', async () => {
    for (let index = 0; index < 10; index += 1) {
      children.at(-1)!.exit(1);
      await vi.advanceTimersByTimeAsync(60_000);
    }
    expect(calls.map((entry) => (entry as unknown[])[1])).toEqual([
      500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000,
    ]);
  });

  test('resets the restart delay when the agent has run for a while', async () => {
    for (const expected of [500, 1_000]) {
      children.at(-1)!.exit(1);
      expect(calls.at(-1)).toEqual(['exit', expected, 1]);
      await vi.advanceTimersByTimeAsync(expected);
    }
    children.at(-1)!.emit('ready');
    await vi.advanceTimersByTimeAsync(60_000);
    children.at(-1)!.exit(1);
    expect(calls.at(-1)).toEqual(['exit', 250, 1]);
  });

  test('fails a waiting call when the agent does not start in time', async () => {
    const asked = agent.call('devices.list', {});
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await asked).toEqual(GONE);
  });

  test('waits without limit for the answer to a call that was sent', async () => {
    children[0]!.emit('ready');
    const asked = agent.call('setup.sign-in-with-provider', {});
    await vi.advanceTimersByTimeAsync(600_000);
    children[0]!.answer(0, 'signed in');
    expect(await asked).toEqual({ ok: true, value: 'signed in' });
  });

  test('kills the agent when it sends an invalid message', async () => {
    children[0]!.emit('ready');
    children[0]!.emit('state', { health: 'excellent' });
    expect(children[0]!.isKilled).toBe(true);
    await vi.advanceTimersByTimeAsync(500);
    expect(children).toHaveLength(2);
  });

  test('lets the agent finish in order when stopped', async () => {
    children[0]!.emit('ready');
    const asked = agent.call('runs.backup', { set: 'Documents' });
    const stopped = agent.stop();
    expect(children[0]!.posted.at(-1)!.name).toBe('agent.stop');
    expect(await agent.call('devices.list', {})).toEqual(GONE);
    children[0]!.answer(1, {});
    await stopped;
    expect(await asked).toEqual(GONE);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(children).toHaveLength(1);
    expect(calls).toEqual([]);
  });

  test('kills the agent when it does not end by itself', async () => {
    children[0]!.emit('ready');
    const stopped = agent.stop();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(children[0]!.isKilled).toBe(true);
    await stopped;
  });

  test('stops an agent that is still starting', async () => {
    await agent.stop();
    expect(children[0]!.isKilled).toBe(true);
  });

  test('does not restart the agent when stopped after a crash', async () => {
    children[0]!.exit(1);
    await agent.stop();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(children).toHaveLength(1);
  });
});
