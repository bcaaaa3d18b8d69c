import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { parseRequest, WrongUsage } from '../../../bench/arguments.ts';

test('runs everything at full scale, with results in the repository, without arguments', () => {
  const request = parseRequest([]);
  expect(request).toMatchObject({ kind: 'compare', workloads: [], rounds: 3, scale: 1, tools: [], keep: false });
  expect(request.directory).toBe(tmpdir());
  expect(request.results).toMatch(/bench\/results$/);
});

test('accepts options at any position', () => {
  const words = [
    'large',
    '--rounds',
    '5',
    '--tools',
    'holdfast,restic',
    'edit',
    '--keep',
    '--dir',
    '/data',
    '--scale',
    '2',
  ];
  expect(parseRequest(words)).toMatchObject({
    workloads: ['large', 'edit'],
    rounds: 5,
    tools: ['holdfast', 'restic'],
    keep: true,
    directory: '/data',
    scale: 2,
  });
});

test('writes results of another scale only on request', () => {
  expect(parseRequest(['--scale', '0.01']).results).toBeUndefined();
  expect(parseRequest(['--scale', '0.01', '--results', '/r']).results).toBe('/r');
});

test('expects `profile` first, followed by workloads', () => {
  expect(parseRequest(['profile', 'large', 'small'])).toMatchObject({ kind: 'profile', workloads: ['large', 'small'] });
});

test.each([
  { words: ['profile'], says: 'profile needs a workload' },
  { words: ['--rounds', '0'], says: '--rounds is a number above 0' },
  { words: ['--rounds', '1.5'], says: '--rounds is a whole number' },
  { words: ['--scale', 'small'], says: '--scale is a number above 0, not "small"' },
  { words: ['--tools', 'restic,tar'], says: '--tools names holdfast, restic and borg, not "tar"' },
  { words: ['profile', 'large', '--rounds', '2'], says: 'profile takes --scale, --keep and --dir only' },
  { words: ['--fast'], says: '--fast' },
])('refuses $words', ({ words, says }) => {
  expect(() => parseRequest(words)).toThrow(WrongUsage);
  expect(() => parseRequest(words)).toThrow(says);
});
