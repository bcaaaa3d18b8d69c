import type { FileResult } from './results.ts';

/** Returns the page with the outcome of a whole run, in Markdown. */
export function pageOf(
  results: readonly FileResult[],
  every: readonly string[],
  leftOut: readonly (readonly [prefix: string, reason: string])[],
  version: string,
): string {
  const tests = results.flatMap((result) => result.tests);
  const count = (wanted: string): number => tests.filter(({ state }) => state === wanted).length;
  const ran = new Set(results.map(({ file }) => file));
  const reasons = leftOut
    .map(([prefix, reason]) => [
      prefix,
      reason,
      every.filter((file) => file.startsWith(prefix) && !ran.has(file)).length,
    ])
    .filter(([, , files]) => files !== 0);
  return [
    '# Tests on Windows',
    '',
    '`npm run test:windows` has written this page.',
    '',
    `Node for Windows ran ${results.length} of ${every.length} test files under ${version}: ${count('passed')} tests passed, ` +
      `${count('failed')} failed, ${count('skipped')} were skipped by their own conditions. It took ${minutesOf(results)} minutes.`,
    '',
    ...failuresOf(results),
    '## What ran',
    '',
    '| Folder | Files | Passed | Failed | Skipped |',
    '|---|--:|--:|--:|--:|',
    ...foldersOf(results),
    '',
    '## What was left out',
    '',
    '| Files | Number | Reason |',
    '|---|--:|---|',
    ...reasons.map(([prefix, reason, files]) => `| \`${prefix}\` | ${files} | ${reason} |`),
    '',
  ].join('\n');
}

function minutesOf(results: readonly FileResult[]): number {
  return Math.round(results.reduce((sum, { seconds }) => sum + seconds, 0) / 60);
}

function failuresOf(results: readonly FileResult[]): readonly string[] {
  const failed = results.flatMap(({ file, tests }) =>
    tests.filter(({ state }) => state === 'failed').map(({ name }) => `- \`${file}\`: ${name}`),
  );
  return failed.length === 0 ? [] : ['## What failed', '', ...failed, ''];
}

function foldersOf(results: readonly FileResult[]): readonly string[] {
  const folders = new Map<string, FileResult[]>();
  for (const result of results) {
    const folder = result.file.split('/').slice(0, -1).join('/');
    folders.set(folder, [...(folders.get(folder) ?? []), result]);
  }
  return [...folders].map(([folder, files]) => {
    const counts = ['passed', 'failed', 'skipped'].map(
      (wanted) => files.flatMap(({ tests }) => tests).filter(({ state }) => state === wanted).length,
    );
    return `| ${[`\`${folder}\``, files.length, ...counts].join(' | ')} |`;
  });
}
