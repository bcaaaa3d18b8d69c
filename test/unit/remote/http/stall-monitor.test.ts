import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StallMonitor } from '../../../../src/remote/http/stall-monitor.ts';

let told: boolean[];
let line: StallMonitor;

beforeEach(() => {
  vi.useFakeTimers();
  told = [];
  line = new StallMonitor((still) => told.push(still));
});
afterEach(() => void vi.useRealTimers());

test('reports a stall after ten seconds, and its end', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const answer = line.watch(promise);
  vi.advanceTimersByTime(9_000);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(5_000);
  expect(told).toEqual([true]);
  resolve('answer');
  expect(await answer).toBe('answer');
  expect(told).toEqual([true, false]);
});

test('reports no stall while any request makes progress', () => {
  void line.watch(new Promise(() => undefined));
  for (let second = 0; second < 60; second += 1) {
    vi.advanceTimersByTime(1_000);
    line.progressed();
  }
  expect(told).toEqual([]);
});

test('reports no stall without requests', async () => {
  await line.watch(Promise.resolve());
  await line.watch(Promise.reject(new Error('broken'))).catch(() => undefined);
  vi.advanceTimersByTime(60_000);
  expect(told).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});
