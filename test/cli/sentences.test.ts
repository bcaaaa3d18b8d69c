import { describe, expect, test } from 'vitest';
import { exitCodeOf } from '../../src/cli/exit-code.ts';
import { sentences } from '../../src/cli/sentences.ts';
import type { Details } from '../../src/cli/sentences/sentence.ts';

/** Everything that details are known to carry. */
const everything: Details = {
  path: '/a/b',
  set: 'documents',
  known: ['documents', 'photos'],
  nearest: ['2026-11-20T00:00:00.000Z'],
  time: 'banana',
  directory: '/media/disk',
  address: 'https://backup.example.org/functions/v1/x',
  status: 500,
  problem: 'EACCES',
  reason: 'refused',
  chunk: 'sha256:00',
  pid: 17,
  command: 'backup documents',
  since: '2026-11-21T10:00:00.000Z',
  target: '/tmp/out',
  source: '/home/anna',
  conflicts: ['/tmp/out/a'],
  file: '/home/anna/settings.json',
  kept: '/home/anna/settings.json.bak',
  deviceId: 'dev_1',
  contentType: 'text/html',
  detail: 'no',
  parent: '/a',
  names: ['b.txt'],
  needed: 3_000_000,
  free: 1000,
  total: 1,
};

describe.each(Object.keys(sentences) as (keyof typeof sentences)[])('the sentence about %s', (code) => {
  test.each([
    ['with details', everything],
    ['without any', {}],
  ])('%s says what happened and what to do', (_name, details) => {
    const { what, todo } = sentences[code](details);
    for (const sentence of [what, todo]) {
      expect(sentence).toMatch(/^(["A-Z0-9/]|https:)/);
      expect(sentence).not.toMatch(/undefined|\[object|NaN| {2}(?!…|\/)| \.|\(\)/);
      expect(sentence.trim()).toBe(sentence);
    }
    expect(what).toMatch(/[.:?)]$|\/tmp\/out\/a$/);
  });

  test('has an exit code of the documented ones, and never 0 or 3', () => {
    expect([1, 2, 4, 5, 130]).toContain(exitCodeOf(code));
  });
});

describe('exit codes', () => {
  test.each([
    ['usage', 2],
    ['not_set_up', 2],
    ['source_missing', 1],
    ['phrase_needed', 4],
    ['signed_out', 4],
    ['device_refused', 4],
    ['clock_wrong', 4],
    ['home_busy', 5],
    ['interrupted', 130],
    ['target_conflict', 1],
    ['destination_full', 1],
  ] as const)('%s: %i', (code, exitCode) => {
    expect(exitCodeOf(code)).toBe(exitCode);
  });
});

describe('what a sentence tells', () => {
  test('who holds a busy home', () => {
    const { what } = sentences.home_busy({ pid: 17, command: 'backup documents', since: '2026-11-21T10:00:00.000Z' });
    expect(what).toContain('backup documents');
    expect(what).toContain('17');
    expect(what).toContain('2026-11-21T10:00:00.000Z');
  });

  test('which word of a phrase is wrong, and what it may have been', () => {
    const details = { problem: 'unknown-word', word: 'drem', position: 3, suggestion: 'dream' };
    const { what, todo } = sentences.phrase_invalid(details);
    expect(what).toMatch(/word 3, "drem"/);
    expect(todo).toContain('dream');
  });

  test('what stands in the way of a restore, at most twenty of it', () => {
    const conflicts = Array.from({ length: 25 }, (_, index) => `/out/${index}`);
    const { what } = sentences.target_conflict({ conflicts, total: 1_025 });
    expect(what).toContain('/out/19');
    expect(what).not.toContain('/out/20');
    expect(what).toContain('1,005 more');
  });
});
