/**
 * The end of `.ci/run`: lists skipped tests, and failed tests with the first line of their message, for
 * readers who see only the end, then prints `N passed, M failed`.
 *
 *     ci-summary.ts RESULTS CHECK_STATUS TEST_STATUS
 *
 * RESULTS is the file of vitest's JSON reporter. A failed check counts as one failure, and so does a test run that found no
 * tests, wrote no results, or failed without a failed test.
 */
import { readFileSync } from 'node:fs';

interface Results {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

const TOLD_CHARACTERS = 1500;

const [resultsFile = '', checkStatus, testStatus] = process.argv.slice(2);
const results = readResults(resultsFile);
const failures: string[] = [];

// A file that failed to load has no failed test.
const brokenFiles = results.testResults.filter(
  ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
);
let failed = results.numFailedTests;
for (const file of brokenFiles) failures.push(`${file.name}: ${file.message ?? 'could not be run'}`);
if (checkStatus !== '0') failures.push('npm run check');
if (results.numPassedTests + failed === 0) failures.push('no tests were found');
else if (testStatus !== '0' && failed + brokenFiles.length === 0) failures.push('npm test ended badly');
failed += failures.length;

for (const file of results.testResults) {
  for (const { status, fullName, failureMessages = [] } of file.assertionResults) {
    if (status === 'failed')
      console.log(`failed: ${file.name}: ${fullName}\n${beginningOf(failureMessages.join('\n'))}`);
    if (status === 'pending' || status === 'skipped' || status === 'todo') console.log(`skipped: ${fullName}`);
  }
}
for (const failure of failures) console.log(`failed: ${failure}`);
console.log(`${results.numPassedTests} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function beginningOf(message: string): string {
  return message.length > TOLD_CHARACTERS ? `${message.slice(0, TOLD_CHARACTERS)} …` : message;
}

function readResults(file: string): Results {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Results;
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, testResults: [] };
  }
}
