import { describe, expect, test } from 'vitest';
import { exitCodeOf } from '../../../src/cli/exit-code.ts';
import { failureText } from '../../../src/cli/failure-sentences.ts';
import { CODES, examplesOf } from '../strings/failure-examples.ts';

describe.each(CODES)('the sentences about %s', (code) => {
  test.each(examplesOf(code))('say what happened and what to do: %j', (failure) => {
    const { what, todo } = failureText(failure);
    for (const sentence of [what, todo]) {
      expect(sentence).toMatch(/^(["A-Z0-9/]|https:|s3:|sftp:|rclone[: ])/);
      expect(sentence).not.toMatch(/undefined|\[object|NaN| {2}(?!…|\/)| \.|\(\)/);
      expect(sentence).not.toMatch(/[“”’\u00A0]/);
      // A place in the window, which a terminal does not have.
      expect(sentence).not.toMatch(/\(Settings\b/);
      expect(sentence.trim()).toBe(sentence);
    }
    expect(what).toMatch(/[.:?)]$|\/tmp\/out\/a$/);
  });

  test('have a documented exit code other than 0 and 3', () => {
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
    ['device_cloned', 4],
    ['clock_wrong', 4],
    ['home_busy', 5],
    ['interrupted', 130],
    ['target_conflict', 1],
    ['destination_full', 1],
  ] as const)('%s: %i', (code, exitCode) => {
    expect(exitCodeOf(code)).toBe(exitCode);
  });
});

describe('a sentence names', () => {
  test('the process that holds a busy home', () => {
    const details = { pid: 17, command: 'backup documents', since: '2026-11-21T10:00:00.000Z' };
    const { what } = failureText({ code: 'home_busy', details });
    expect(what).toContain('backup documents');
    expect(what).toContain('17');
    expect(what).toContain('2026-11-21T10:00:00.000Z');
  });

  test('the wrong word of a phrase, and a suggestion', () => {
    const details = { problem: 'unknown-word', word: 'drem', position: 3, suggestion: 'dream' } as const;
    const { what, todo } = failureText({ code: 'phrase_invalid', details });
    expect(what).toMatch(/Word 3, "drem"/);
    expect(todo).toContain('dream');
  });

  test('at most twenty conflicts of a restore', () => {
    const conflicts = Array.from({ length: 25 }, (_, index) => `/out/${index}`);
    const { what } = failureText({ code: 'target_conflict', details: { target: '/out', conflicts, total: 1_025 } });
    expect(what).toContain('/out/19');
    expect(what).not.toContain('/out/20');
    expect(what).toContain('1,005 more');
  });
});
