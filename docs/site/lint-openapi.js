/** Lints an OpenAPI document. The exit code is 1 if it has errors. */
import { readFile } from 'node:fs/promises';
import { createConfig, lintFromString } from '@redocly/openapi-core';

const [file] = process.argv.slice(2);
const config = await createConfig({
  extends: ['recommended'],
  // Every operation has a `default` response for refusals and failures.
  rules: { 'operation-4xx-response': 'off' },
});
const problems = await lintFromString({ source: await readFile(file, 'utf8'), absoluteRef: file, config });
for (const { severity, ruleId, message, location } of problems) {
  console.log(`${severity} ${ruleId} ${location[0]?.pointer ?? ''}\n    ${message}`);
}
const errors = problems.filter(({ severity }) => severity === 'error');
console.log(`The OpenAPI document has ${errors.length} errors and ${problems.length - errors.length} warnings.`);
process.exitCode = errors.length === 0 ? 0 : 1;
