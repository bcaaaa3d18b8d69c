import { describe, expect, test } from 'vitest';
import { periodReport, type PeriodReport, type ReportedSet } from '../../src/ipc/contract/report.ts';
import { pageHtml, pageLines, reportMail, reportPage } from '../../src/strings/report-page.ts';
import { LANGUAGE_NAMES, languageOf, type LanguageCode } from '../../src/strings/strings.ts';

const SET: ReportedSet = {
  name: 'docs',
  lastPoint: { at: '2026-11-23T10:00:00Z', files: 2, bytes: 10 },
  runs: { succeeded: 3, warned: 0, failed: 1, stopped: 0 },
  bytesUploaded: 5,
  warnings: [],
};
const report = (sets: ReportedSet[], device = 'laptop', name = 'disk'): PeriodReport => ({
  device,
  from: 0,
  to: 1,
  destinations: [{ name, sets, storedBytes: 100, grownBytes: -50 }],
});
const english = languageOf('en', []);

describe('a report', () => {
  test('of a week without a backup needs a look, and of one without trouble does not', () => {
    expect(reportPage(report([SET]), english).title).toBe('Backups of laptop: all is well');
    const idle = { ...SET, runs: { succeeded: 0, warned: 0, failed: 0, stopped: 0 } };
    expect(reportPage(report([SET, idle]), english).title).toBe('Backups of laptop: 1 of 2 need a look');
  });

  test.each([
    ['a failure', { failure: 'source_missing' }],
    ['a warning', { warnings: [{ reason: 'in-use', files: 1 }] }],
    ['a test restore that differs', { drill: { at: 0, files: 9, failures: 1 } }],
  ])('with %s needs a look', (_name, change) => {
    expect(reportPage(report([{ ...SET, ...change }]), english).title).toContain('1 of 1 need a look');
  });

  test('shows names that come from anybody as they are, and as nothing else', () => {
    const page = reportPage(report([SET], '<b>&"\n\u202e', '<i>'), english);
    expect(pageHtml(page, english)).not.toMatch(/<b>|<i>/);
    expect(pageLines(page)[0]).toBe('Backups of <b>&"\u{FFFD}\u{FFFD}: all is well');
  });

  const codes = Object.keys(LANGUAGE_NAMES) as LanguageCode[];
  test.each(codes)('is written completely in %s', (code) => {
    const language = languageOf(code, []);
    const warned = { reason: 'permission-denied', files: 3, names: ['/a'] };
    const all = report([
      { ...SET, warnings: [warned], failure: 'command_failed', drill: { at: 0, files: 2, failures: 0 } },
    ]);
    expect(periodReport.parse(all)).toEqual(all);
    const { subject, text, html } = reportMail(all, language);
    expect(text).toContain(subject);
    expect(text).not.toMatch(/undefined|NaN|[{}]/);
    expect(html).toContain(`<html lang="${language.tag}" dir="${language.direction}">`);
    expect(html).not.toMatch(/<script|<img|<link|src=|url\(/);
  });
});
