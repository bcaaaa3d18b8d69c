import type {
  PeriodReport,
  ReportedDestination,
  ReportedSet,
  ReportedWarning,
} from '../../../agent/operations/report/period-report.ts';
import { countText, printable, sizeText, timeText } from '../../text.ts';
import { REASONS } from '../runs/warnings.ts';

/** A report as sections of lines, from which text and HTML are made. */
export interface ReportPage {
  readonly title: string;
  readonly lead: string;
  readonly sections: readonly ReportSection[];
}

interface ReportSection {
  readonly title: string;
  readonly rows: [label: string, value: string][];
}

export function reportPage(report: PeriodReport): ReportPage {
  const { device, from, to, destinations } = report;
  const troubled = destinations.flatMap(({ sets }) => sets.filter(needsLook)).length;
  const all = destinations.flatMap(({ sets }) => sets).length;
  return {
    title:
      troubled === 0
        ? `Backups of ${printable(device)}: all is well`
        : `Backups of ${printable(device)}: ${troubled} of ${all} need a look`,
    lead: `From ${timeText(from)} to ${timeText(to)}.`,
    sections: destinations.flatMap((destination) => {
      const sets = destination.sets.map((set) => ({
        title: `${printable(set.name)} to ${printable(destination.name)}`,
        rows: setRows(set),
      }));
      return sets.concat(storageSection(destination));
    }),
  };
}

/** A set is not well without a restore point in the period, after a failure, with warnings, or with a failed test restore. */
export function needsLook({ runs, failure, warnings, drill }: ReportedSet): boolean {
  return (
    runs.succeeded + runs.warned === 0 || failure !== undefined || warnings.length > 0 || (drill?.failures ?? 0) > 0
  );
}

function setRows({ lastPoint, runs, bytesUploaded, failure, warnings, drill }: ReportedSet): [string, string][] {
  const made = runs.succeeded + runs.warned;
  const failures = [
    ...(runs.failed > 0 ? [`${runs.failed} failed`] : []),
    ...(runs.stopped > 0 ? [`${runs.stopped} stopped`] : []),
  ];
  return [
    ['Last backup', lastPoint ? timeText(lastPoint.at) : 'never'],
    ...(lastPoint
      ? [['Contains', `${countText(lastPoint.files, 'file')}, ${sizeText(lastPoint.bytes)}`] satisfies [string, string]]
      : []),
    ['Backups', [`${made} made`, ...failures].join(', ')],
    ['Sent', sizeText(bytesUploaded)],
    ...(failure === undefined ? [] : [['Last failure', failure] satisfies [string, string]]),
    ...warnings.map((warning): [string, string] => ['Warning', warningText(warning)]),
    [
      'Test restore',
      drill
        ? `${timeText(drill.at)}: ${countText(drill.files, 'file')} restored, ${drill.failures} differ`
        : 'none yet',
    ],
  ];
}

function warningText({ reason, files, names = [] }: ReportedWarning): string {
  const text = `${countText(files, 'item')}: ${REASONS[reason] ?? reason}`;
  return names.length === 0 ? text : `${text} (${names.map(printable).join(', ')})`;
}

function storageSection({ name, storedBytes, grownBytes }: ReportedDestination): ReportSection[] {
  if (storedBytes === undefined) return [];
  const change =
    grownBytes === undefined
      ? ''
      : grownBytes < 0
        ? `, ${sizeText(-grownBytes)} less than before`
        : `, ${sizeText(grownBytes)} more than before`;
  return [{ title: `Storage at ${printable(name)}`, rows: [['Used', `${sizeText(storedBytes)}${change}`]] }];
}

export function pageLines({ title, lead, sections }: ReportPage): string[] {
  return [
    title,
    lead,
    ...sections.flatMap(({ title: heading, rows }) => [
      '',
      heading,
      ...rows.map(([label, value]) => `  ${label.padEnd(13)} ${value}`),
    ]),
  ];
}

/** A page without scripts, styles from elsewhere or pictures, so that mail programs show it as it is. */
export function pageHtml({ title, lead, sections }: ReportPage): string {
  const tables = sections.map(
    ({ title: heading, rows }) =>
      `<h2 style="font-size:1.1em">${escaped(heading)}</h2>\n<table>\n${rows
        .map(
          ([label, value]) =>
            `<tr><th scope="row" align="left" valign="top" style="padding-right:1em">${escaped(label)}</th><td>${escaped(value)}</td></tr>`,
        )
        .join('\n')}\n</table>`,
  );
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title></head>`,
    '<body style="font-family:sans-serif">',
    `<h1 style="font-size:1.3em">${escaped(title)}</h1>`,
    `<p>${escaped(lead)}</p>`,
    ...tables,
    '</body></html>',
    '',
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
