import { expect, test } from 'vitest';
import { failureWords } from '../../../src/strings/failure-sentence.ts';
import { languageOf } from '../../../src/strings/strings.ts';

const address = 'https://backup.example.org';

/** A missing network comes back by itself; these failures do not, and their sentences do not mention the network. */
test.each([
  ['certificate', /certificate/, /Zertifikat/],
  ['tls', /https/, /https/],
])('names the cause when a service cannot be reached: %s', (reason, english, german) => {
  for (const [code, words] of [
    ['en', english],
    ['de', german],
  ] as const) {
    const { what, todo } = failureWords(
      { code: 'service_unreachable', details: { address, reason } },
      languageOf(code, []),
    );
    expect(what).toContain(address);
    expect(`${what} ${todo}`).toMatch(words);
    expect(todo).not.toBe(
      failureWords({ code: 'service_unreachable', details: { address } }, languageOf(code, [])).todo,
    );
  }
});
