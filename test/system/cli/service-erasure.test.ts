import { expect, onTestFinished, test } from 'vitest';
import { Workplace } from '../e2e/workplace.ts';

test('the operator requests, lists and cancels erasures', async () => {
  const workplace = new Workplace();
  onTestFinished(() => workplace[Symbol.dispose]());
  const owner = ['--data', workplace.path('data'), '--email', 'anna@example.org'];
  const password = workplace.write('password', 'correct horse battery staple\n');
  await workplace.json(['service', 'account', 'create', ...owner, '--password-file', password]);
  const erasure = (...words: readonly string[]) => workplace.json(['service', 'erasure', ...words, ...owner]);
  const refusal = async (...words: readonly string[]) => {
    const { status, stderr } = await workplace.run('service', 'erasure', ...words, ...owner);
    expect(status).not.toBe(0);
    return stderr;
  };
  expect(await erasure('list')).toEqual({ erasures: [] });
  const before = Date.now();
  const { erasures } = await erasure('request', '--account');
  const [requested] = erasures as readonly { readonly id: string; readonly due_at: string }[];
  const days = (Date.parse(requested!.due_at) - before) / 86_400_000;
  expect([Math.floor(days), requested]).toMatchObject([7, { scope: 'account', erased_at: null }]);
  expect(await refusal('request', '--account')).toMatch(/already/);
  expect((await workplace.run('service', 'erasure', 'list', ...owner)).stdout).not.toMatch(/waits/);
  expect(await erasure('cancel', requested!.id)).toEqual({ erasures: [] });
  const immediate = await erasure('request', '--account', '--now');
  const [now] = immediate['erasures'] as readonly { readonly due_at: string }[];
  expect(Date.parse(now!.due_at) - Date.now()).toBeLessThanOrEqual(0);
  expect((await workplace.run('service', 'erasure', 'list', ...owner)).stdout).toMatch(
    /waits for restores in progress/,
  );
  for (const words of [[], ['--set', 'x'], ['--account', '--device', 'x']]) {
    expect(await refusal('request', ...words)).toMatch(/Name one of/);
  }
  for (const words of [
    ['--device', 'dev_x'],
    ['--member', 'eve@example.org'],
  ]) {
    expect(await refusal('request', ...words)).toMatch(/no such/);
  }
  expect(await refusal('request', '--member', 'anna@example.org')).toMatch(/last owner/);
});
