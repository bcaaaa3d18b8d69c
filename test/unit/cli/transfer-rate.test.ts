import { expect, test } from 'vitest';
import { transferRate } from '../../../src/cli/commands/arguments.ts';

test.each([
  ['1', 1024],
  ['500', 512_000],
  ['500K', 512_000],
  ['500k', 512_000],
  ['64KiB', 65_536],
  ['64 KiB/s', 65_536],
  ['2M', 2_097_152],
  ['1.5MB/s', 1_572_864],
  ['0.5G', 536_870_912],
])('%s is %i bytes a second', (text, rate) => {
  expect(transferRate(text)).toBe(rate);
});

test.each(['', '0', '-1', '0.5', 'M', '1T', '1e3', '10 apples', '1/s/s', '1000000000000'])(
  'rejects the rate %j',
  (text) => {
    expect(() => transferRate(text)).toThrow('A rate is at least 1 KiB a second');
  },
);
