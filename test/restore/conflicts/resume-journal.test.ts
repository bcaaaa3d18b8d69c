import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ResumeJournal } from '../../../src/restore/conflicts/resume-journal.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const NOW = Date.UTC(2026, 10, 20);

let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'holdfast-journal-'));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

function identity(target: string) {
  const point = { deviceId: 'device', backupSet: 'set', restorePoint: 'point', isProven: true };
  return { ...point, paths: [], without: [], target, inPlace: false };
}

/** Leaves the journal of a restore that began to write some days ago. Returns its file. */
function abandoned(target: string, days: number): string {
  const before = new Set(readdirSync(scratch));
  const journal = ResumeJournal.open(scratch, identity(target), NOW);
  journal.begin();
  journal.close();
  const file = join(
    scratch,
    readdirSync(scratch).find((name) => !before.has(name))!,
  );
  const seconds = (NOW - days * DAY_MS) / 1000;
  utimesSync(file, seconds, seconds);
  return file;
}

describe('the journal of an abandoned restore', () => {
  test('is removed after 30 days by the next restore', () => {
    const [old, young] = [abandoned('/old', 31), abandoned('/young', 29)];
    ResumeJournal.open(scratch, identity('/other'), NOW).close();
    expect([old, young].map((file) => existsSync(file))).toEqual([false, true]);
  });

  test('stays when the next one is a dry run', () => {
    const old = abandoned('/old', 31);
    ResumeJournal.openReadOnly(scratch, identity('/other'), NOW).close();
    expect(existsSync(old)).toBe(true);
  });

  test('is resumed before that', () => {
    abandoned('/target', 29);
    const journal = ResumeJournal.open(scratch, identity('/target'), NOW);
    expect(journal.resumed).toBe(true);
    journal.close();
  });
});
