import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { childSeconds, CommandFailed, measure } from '../../../bench/compare/measure.ts';
import type { Command } from '../../../bench/tools/tool.ts';

let logs: string;
beforeEach(() => {
  logs = mkdtempSync(join(tmpdir(), 'holdfast-measure-'));
});
afterEach(() => rmSync(logs, { recursive: true }));

test.each([
  { shell: 'dash', text: '0m0.000000s 0m0.000000s\n0m1.230000s 0m0.120000s\n', seconds: 1.35 },
  { shell: 'bash', text: '0m0.001s 0m0.000s\n2m3.004s 0m0.020s\n', seconds: 123.024 },
  { shell: 'bash with a comma', text: '0m0,001s 0m0,000s\n0m3,004s 1m0,000s\n', seconds: 63.004 },
])('parses the output of times in $shell', ({ text, seconds }) => {
  expect(childSeconds(text)).toBeCloseTo(seconds, 6);
});

/** A grandchild that allocates 200 MB and computes for a while; the measurement has to include both. */
const HOLD = `const held = Buffer.alloc(200e6, 1); let sum = 0; for (let step = 0; step < 1.5e8; step += 1) sum += held[step % 200]; process.exit(sum > 0 ? 0 : 1)`;

test('measures the whole process tree', async () => {
  const cost = await measure(shell(`"${process.execPath}" -e '${HOLD}'; true`), logs);
  expect(cost.peakBytes).toBeGreaterThan(200e6);
  expect(cost.cpuSeconds).toBeGreaterThan(0.02);
  expect(cost.seconds).toBeGreaterThan(0);
});

test('stops the benchmark when a command fails, and shows its output', async () => {
  const failure = measure(shell('echo no space left >&2; exit 3'), logs);
  await expect(failure).rejects.toThrow(CommandFailed);
  await expect(failure).rejects.toThrow(/ended with 3:\nno space left/);
});

function shell(script: string): Command {
  return { program: 'sh', args: ['-c', script], environment: {} };
}
