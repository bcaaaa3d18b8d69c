import { describe, expect, test } from 'vitest';
import { periodReport, type PeriodReport, type ReportedSet } from '../../../src/ipc/contract/report.ts';
import { pageHtml, pageLines, reportMail, reportPage } from '../../../src/strings/report-page.ts';
import { LANGUAGE_NAMES, languageOf, type LanguageCode } from '../../../src/strings/strings.ts';

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
    ['a failure', { failure: { code: 'destination_missing', details: { directory: '/disk' } } as const }],
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

  test('names a failure by its sentence, in which a name shows as nothing else', () => {
    const failed = { ...SET, failure: { code: 'destination_missing', details: { directory: '/di\u202esk' } } as const };
    expect(pageLines(reportPage(report([failed]), english)).join('\n')).toContain(
      '  Last failure: /di\u{FFFD}sk cannot be found, or no longer contains your backups.',
    );
  });

  test('names the settings of the app only if it is sent by them', () => {
    const textOf = (isOfApp: boolean): string => reportMail(report([SET]), english, isOfApp).text;
    expect(textOf(true)).toContain('It is set up there in Settings, under General.');
    expect(textOf(false)).toContain('Holdfast sent this report from the computer that it is about.');
    expect(textOf(false)).not.toContain('Settings');
  });

  const codes = Object.keys(LANGUAGE_NAMES) as LanguageCode[];
  test.each(codes)('is written completely in %s', (code) => {
    const language = languageOf(code, []);
    const warned = { reason: 'permission-denied', files: 3, names: ['/a'] };
    const all = report([
      {
        ...SET,
        warnings: [warned],
        failure: { code: 'destination_missing', details: { directory: '/disk' } },
        drill: { at: 0, files: 2, failures: 0 },
      },
    ]);
    expect(periodReport.parse(all)).toEqual(all);
    const { subject, text, html } = reportMail(all, language, true);
    expect(text).toContain(subject);
    expect(text).not.toMatch(/undefined|NaN|[{}]|destination_missing/);
    expect(text).toContain('/disk');
    expect(html).toContain(`<html lang="${language.tag}" dir="${language.direction}">`);
    expect(html).not.toMatch(/<script|<img|<link|src=|url\(/);
  });
});
