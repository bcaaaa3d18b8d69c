import type { PeriodReport, ReportedDestination, ReportedSet, ReportedWarning } from '../ipc/contract/report.ts';
import type { Failure } from '../base/errors/failure.ts';
import { failureWords, reasonSentence } from './failure-sentence.ts';
import type { Language } from './strings.ts';
import { escapedMarkup } from '../base/markup.ts';

/** A report as sections of lines, from which the preview, the text and the HTML are made. */
export interface ReportPage {
  readonly title: string;
  readonly lead: string;
  readonly sections: readonly ReportSection[];
  readonly footer: string;
}

export interface ReportSection {
  readonly title: string;
  readonly rows: readonly (readonly [label: string, value: string])[];
}

/** @param isOfApp it is sent as it is set up in the app, which the footer says */
export function reportPage(report: PeriodReport, language: Language, isOfApp = false): ReportPage {
  const { strings, formats } = language;
  const words = strings.report.mail;
  const { device, from, to, destinations } = report;
  const sets = destinations.flatMap((destination) => destination.sets);
  const troubled = sets.filter(needsLook).length;
  return {
    title: troubled === 0 ? words.well(shown(device)) : words.look(shown(device), troubled, sets.length),
    lead: words.period(formats.dateTime(from), formats.dateTime(to)),
    sections: destinations.flatMap((destination) => {
      const ofSets = destination.sets.map((set): ReportSection => ({
        title: words.setAt(shown(set.name), shown(destination.name)),
        rows: setRows(set, language),
      }));
      return ofSets.concat(storageSection(destination, language));
    }),
    footer: isOfApp ? words.footer : words.footerAlone,
  };
}

/** A set is not well without a restore point in the period, after a failure, with warnings or signs of ransomware, or with a failed test restore. */
export function needsLook({ runs, failure, warnings, alarm, drill }: ReportedSet): boolean {
  const isUnwell = failure !== undefined || alarm !== undefined || warnings.length > 0;
  return isUnwell || runs.succeeded + runs.warned === 0 || (drill?.failures ?? 0) > 0;
}

function setRows(set: ReportedSet, language: Language): ReportSection['rows'] {
  const { lastPoint, runs, bytesUploaded, failure, warnings, alarm, drill } = set;
  const { strings, formats } = language;
  const words = strings.report.mail;
  const counts = [
    words.made(runs.succeeded + runs.warned),
    ...(runs.failed > 0 ? [words.failed(runs.failed)] : []),
    ...(runs.stopped > 0 ? [words.stopped(runs.stopped)] : []),
  ];
  return [
    [words.lastBackup, lastPoint ? formats.dateTime(lastPoint.at) : words.never],
    ...(lastPoint ? [[words.contains, words.contents(lastPoint.files, formats.bytes(lastPoint.bytes))] as const] : []),
    [words.backups, new Intl.ListFormat(language.region, { type: 'unit', style: 'short' }).format(counts)],
    [words.sent, formats.bytes(bytesUploaded)],
    ...(failure === undefined ? [] : [[words.lastFailure, failureText(failure, language)] as const]),
    ...(alarm ? [[words.warning, words.signs(formats.dateTime(alarm.since))] as const] : []),
    ...warnings.map((warning) => [words.warning, warningText(warning, language)] as const),
    [words.testRestore, drill ? words.tested(formats.dateTime(drill.at), drill.files, drill.failures) : words.untested],
  ];
}

/** What happened. What to do about it is said by Holdfast on that computer. */
function failureText({ details, ...failure }: Failure, language: Language): string {
  const safe = Object.entries<unknown>({ ...details }).map(([name, value]) => [
    name,
    typeof value === 'string' ? shown(value) : value,
  ]);
  return failureWords({ ...failure, details: Object.fromEntries(safe) as unknown } as Failure, language).what;
}

function warningText({ reason, files, names = [] }: ReportedWarning, language: Language): string {
  const text = language.strings.report.mail.warned(files, reasonSentence(reason, language));
  return names.length === 0 ? text : `${text} (${language.formats.series(names.map(shown))})`;
}

function storageSection(destination: ReportedDestination, { strings, formats }: Language): ReportSection[] {
  const { name, storedBytes, grownBytes = 0 } = destination;
  if (storedBytes === undefined) return [];
  const words = strings.report.mail;
  const used = formats.bytes(storedBytes);
  const text =
    grownBytes === 0
      ? used
      : grownBytes < 0
        ? words.less(used, formats.bytes(-grownBytes))
        : words.more(used, formats.bytes(grownBytes));
  return [{ title: words.storage(shown(name)), rows: [[words.used, text]] }];
}

export function pageLines({ title, lead, sections }: ReportPage): string[] {
  return [
    title,
    lead,
    ...sections.flatMap(({ title: heading, rows }) => [
      '',
      heading,
      ...rows.map(([label, value]) => `  ${label}: ${value}`),
    ]),
  ];
}

/** A mail with plain text, and HTML without scripts, styles from elsewhere or pictures: mail programs show it as it is. */
export function reportMail(
  report: PeriodReport,
  language: Language,
  isOfApp: boolean,
): { readonly subject: string; readonly text: string; readonly html: string } {
  const page = reportPage(report, language, isOfApp);
  const text = [...pageLines(page), '', page.footer, ''].join('\n');
  return { subject: page.title, text, html: pageHtml(page, language) };
}

export function pageHtml({ title, lead, sections, footer }: ReportPage, { tag, direction }: Language): string {
  const tables = sections.map(
    ({ title: heading, rows }) =>
      `<h2 style="font-size:1.1em">${escapedMarkup(heading)}</h2>\n<table>\n${rows
        .map(
          ([label, value]) =>
            `<tr><th scope="row" align="start" valign="top" style="padding-inline-end:1em;text-align:start">${escapedMarkup(label)}</th><td>${escapedMarkup(value)}</td></tr>`,
        )
        .join('\n')}\n</table>`,
  );
  return [
    '<!doctype html>',
    `<html lang="${tag}" dir="${direction}"><head><meta charset="utf-8"><title>${escapedMarkup(title)}</title></head>`,
    '<body style="font-family:sans-serif">',
    `<h1 style="font-size:1.3em">${escapedMarkup(title)}</h1>`,
    `<p>${escapedMarkup(lead)}</p>`,
    ...tables,
    `<p style="color:#666">${escapedMarkup(footer)}</p>`,
    '</body></html>',
    '',
  ].join('\n');
}

/** Shows what would be invisible, or would turn the direction of the text: names come from anybody. */
function shown(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{FFFD}');
}
