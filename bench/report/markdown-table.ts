import { formatBytes } from '../../scripts/demo/table.ts';
import type { Measurement, Results } from './results.ts';
import { COLUMNS, describe, rowsOf } from './rows.ts';

const BEGIN = '<!-- results: written by bench/table.ts -->';
const END = '<!-- end of results -->';

/**
 * Formats the newest measurement of each step, in the order of `ids`, followed by the machine and commit of each run.
 *
 * @param results the oldest first
 */
export function markdownTable(results: readonly Results[], ids: readonly string[]): string {
  const newest = ids.flatMap((id) => newestOf(results, id) ?? []);
  const runs = results.filter((run) => newest.some((found) => found.run === run));
  const head = ['Work', 'Program', ...COLUMNS];
  const rows = newest.flatMap(({ measurement }) => measurementRows(measurement));
  const notes = runs.map((run) =>
    runNote(
      run,
      newest.filter((found) => found.run === run).map(({ measurement }) => measurement.id),
    ),
  );
  return [line(head), `|---|---|${'---:|'.repeat(COLUMNS.length)}`, ...rows, '', ...notes].join('\n');
}

/**
 * Replaces the table between the markers of a document.
 *
 * @throws Error if a marker is missing
 */
export function replaceTable(document: string, table: string): string {
  const begin = document.indexOf(BEGIN);
  const end = document.indexOf(END, begin);
  if (begin < 0 || end < 0) throw new Error(`the document has no lines "${BEGIN}" and "${END}"`);
  return `${document.slice(0, begin)}${BEGIN}\n${table}\n${document.slice(end)}`;
}

function newestOf(results: readonly Results[], id: string): { run: Results; measurement: Measurement } | undefined {
  for (const run of results.toReversed()) {
    const measurement = run.measurements.find((candidate) => candidate.id === id);
    if (measurement) return { run, measurement };
  }
  return undefined;
}

function measurementRows(measurement: Measurement): readonly string[] {
  return rowsOf(measurement).map(({ label, cells }, index) =>
    line([index === 0 ? `${measurement.id}: ${describe(measurement)}` : '', label, ...cells]),
  );
}

function runNote(
  { startedAt, commit, changed, scale, rounds, machine, versions }: Results,
  ids: readonly string[],
): string {
  const { processor, cores, memoryBytes, kernel, fileSystem } = machine;
  return [
    `- ${ids.join(', ')}: ${startedAt.slice(0, 10)}, commit ${commit}${changed ? ' with changes' : ''}`,
    `${processor}, ${cores} cores, ${formatBytes(memoryBytes)}, Linux ${kernel}, ${fileSystem}`,
    Object.values(versions).join(', '),
    `medians of ${rounds}${scale === 1 ? '' : `, at scale ${scale}`}`,
  ].join('; ');
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
