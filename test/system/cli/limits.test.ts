import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { seededBytes } from '../../../bench/data-sets/seeded-bytes.ts';
import { CAN_SIGN_IN, codeOf, createAccount, Server } from '../e2e/server.ts';
import { isPlainMessage, Workplace } from '../e2e/workplace.ts';
import { buildTree } from '../../helpers/tree/build.ts';
import { file } from '../../helpers/tree/nodes.ts';

const LIMITS = ['--limit-upload', '2M', '--limit-download', '2M'];

let workplace: Workplace;

beforeEach(async () => {
  workplace = new Workplace();
  await buildTree(workplace.path('source'), { 'small.txt': file('content') });
  writeFileSync(workplace.path('source', 'large.bin'), seededBytes('limits')(2_000_000));
});
afterEach(() => workplace[Symbol.dispose]());

test.skipIf(!CAN_SIGN_IN)('backs up, verifies and restores within limits', async () => {
  const data = workplace.path('service');
  await using server = await Server.start(workplace, data);
  const account = await createAccount(workplace, data, 'anna@example.org');
  const { email, passwordFile } = account;
  const signIn = ['--email', email, '--password-file', passwordFile, '--code', codeOf(account)];
  await workplace.json(['setup', '--server', server.address, ...signIn]);
  await workplace.addSet('documents', workplace.path('source'));

  const started = performance.now();
  await workplace.json(['backup', 'documents', ...LIMITS]);
  // Two million bytes, a burst of half a million at most, cannot be faster. The test sets no upper limit.
  expect(performance.now() - started).toBeGreaterThan(700);
  await workplace.json(['verify', 'documents', ...LIMITS]);
  await workplace.json(['restore', 'documents', '--to', workplace.path('back'), ...LIMITS]);
  const restored = readFileSync(workplace.path('back', 'source', 'large.bin'));
  expect(restored.equals(readFileSync(workplace.path('source', 'large.bin')))).toBe(true);
});

test.each([
  ['backup', 'documents'],
  ['verify', 'documents'],
])('rejects limits for a folder: %s', async (...words) => {
  await workplace.setUp();
  await workplace.addSet('documents', workplace.path('source'));
  const { status, stdout, stderr } = await workplace.run(...words, '--limit-upload', '64');
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain('is not a service, and limits apply to services only');
  expect(isPlainMessage(stderr)).toBe(true);
});
