import { LEFT_OUT, reasonToFail } from './left-out.ts';
import type { FileResult, TestResult } from './results.ts';

type Outcome = TestResult['state'] | 'excused';

/** Returns the page with the outcome of a run, in Markdown. @param every all files of the tested areas */
export function pageOf(results: readonly FileResult[], every: readonly string[], version: string): string {
  const ran = new Set(results.map(({ file }) => file));
  const leftOut = LEFT_OUT.map(([prefix, reason]) => {
    const files = every.filter((file) => file.startsWith(prefix) && !ran.has(file));
    return { prefix, reason, count: files.length };
  }).filter(({ count }) => count > 0);
  const known = new Set(every.filter((file) => LEFT_OUT.some(([prefix]) => file.startsWith(prefix))));
  const missed = every.filter((file) => !ran.has(file) && !known.has(file));
  return [
    '# Tests on Windows',
    '',
    '`npm run test:windows` has written this page. With `--page` it has the newest result of each file of several runs.',
    '',
    `Node for Windows ran ${results.length} of ${every.length} test files under ${version}: ${countOf(results, 'passed')} tests passed, ` +
      `${countOf(results, 'failed')} failed, ${countOf(results, 'excused')} could not say anything there, and ` +
      `${countOf(results, 'skipped')} were skipped by their own conditions. It took ${minutesOf(results)} minutes.`,
    '',
    ...section('What failed', testsOf(results, 'failed')),
    '## What ran',
    '',
    '| Folder | Files | Passed | Failed | Not possible there | Skipped |',
    '|---|--:|--:|--:|--:|--:|',
    ...foldersOf(results),
    '',
    ...section('What is not possible there', testsOf(results, 'excused')),
    '## What was left out',
    '',
    '| Files | Number | Reason |',
    '|---|--:|---|',
    ...leftOut.map(({ prefix, reason, count }) => `| \`${prefix}\` | ${count} | ${reason} |`),
    '',
    ...section(
      'What this run did not reach',
      missed.map((file) => `- \`${file}\``),
    ),
  ].join('\n');
}

/** Returns the number of tests with an outcome. */
export function countOf(results: readonly FileResult[], wanted: Outcome): number {
  return results.reduce(
    (sum, { file, tests }) => sum + tests.filter((test) => outcomeOf(file, test) === wanted).length,
    0,
  );
}

/** Returns whether a file has a failure that the place of the test does not explain. */
export function isFailed(result: FileResult): boolean {
  return countOf([result], 'failed') > 0;
}

function outcomeOf(file: string, test: TestResult): Outcome {
  return test.state === 'failed' && reasonToFail(file, test) !== undefined ? 'excused' : test.state;
}

function minutesOf(results: readonly FileResult[]): number {
  return Math.round(results.reduce((sum, { seconds }) => sum + seconds, 0) / 60);
}

function testsOf(results: readonly FileResult[], wanted: Outcome): readonly string[] {
  return results.flatMap(({ file, tests }) =>
    tests
      .filter((test) => outcomeOf(file, test) === wanted)
      .map((test) => `- \`${file}\`: ${test.name}${wanted === 'excused' ? `. ${reasonToFail(file, test)}` : ''}`),
  );
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`## ${title}`, '', ...lines, ''];
}

function foldersOf(results: readonly FileResult[]): readonly string[] {
  const folders = new Map<string, FileResult[]>();
  for (const result of results) {
    const folder = result.file.split('/').slice(0, -1).join('/');
    folders.set(folder, [...(folders.get(folder) ?? []), result]);
  }
  return [...folders].map(([folder, files]) => {
    const counts = (['passed', 'failed', 'excused', 'skipped'] as const).map((outcome) => countOf(files, outcome));
    return `| ${[`\`${folder}\``, files.length, ...counts].join(' | ')} |`;
  });
}
