import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { resetServiceFactors } from '../../../../src/service/administration/service-factors.ts';
import { createAccount } from '../../../../src/service/accounts.ts';
import { asOperator } from '../../../../src/service/operator-access.ts';

test('the operator removes lost factors once', async () => {
  const data = mkdtempSync(join(tmpdir(), 'holdfast-factors-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const { user_id: id } = await createAccount(data, { email: 'anna@example.com', password: 'correct horse' });
  expect(await resetServiceFactors({ data, email: 'ANNA@example.com' })).toEqual({ user_id: id });
  expect(await asOperator({ data }, ({ accounts }) => accounts.factorsOf(id))).toEqual([]);
  const usage = { code: 'usage' };
  await expect(resetServiceFactors({ data, email: 'anna@example.com' })).rejects.toMatchObject(usage);
  await expect(resetServiceFactors({ data, email: 'bob@example.com' })).rejects.toMatchObject(usage);
});
