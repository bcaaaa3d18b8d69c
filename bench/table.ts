/**
 * `bin/node bench/table.ts [--print] [RESULTS.json…]`: writes the table of docs/reports/performance.md, from the newest measurement
 * of each step in bench/results or in the given files. With `--print` it writes to stdout instead.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { markdownTable, replaceTable } from './report/markdown-table.ts';
import { readResults, readResultsFile } from './report/results.ts';
import { WORKLOADS } from './workloads/workloads.ts';

const RESULTS = join(import.meta.dirname, 'results');
const DOCUMENT = join(dirname(import.meta.dirname), 'docs/reports/performance.md');

const { values, positionals } = parseArgs({ options: { print: { type: 'boolean' } }, allowPositionals: true });
const given = positionals.map(readResultsFile);
const results =
  given.length > 0 ? given : existsSync(RESULTS) ? readResults(RESULTS).filter(({ scale }) => scale === 1) : [];

if (results.length === 0) {
  console.error('There are no results yet: npm run bench');
  process.exitCode = 1;
} else {
  const table = markdownTable(
    results,
    WORKLOADS.flatMap(({ steps }) => steps.map(({ id }) => id)),
  );
  if (values.print) console.log(table);
  else writeFileSync(DOCUMENT, replaceTable(readFileSync(DOCUMENT, 'utf8'), table));
}
