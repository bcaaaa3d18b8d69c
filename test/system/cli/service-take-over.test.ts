import { expect, test } from 'vitest';
import { createAccount, Server } from '../e2e/server.ts';
import { Workplace } from '../e2e/workplace.ts';

test('service take-over makes a copy the service', async () => {
  using workplace = new Workplace();
  const [data, copy] = [workplace.path('data'), workplace.path('copy')];
  await createAccount(workplace, data, 'anna@example.org');
  await using _server = await Server.start(workplace, data);
  await workplace.json(['service', 'copy', '--data', data, '--to', copy]);
  const warnings = async () => {
    const { checks } = await workplace.json<{ checks: { status: string; message: string }[] }>([
      'service',
      'check',
      '--data',
      copy,
    ]);
    return checks.filter(({ message }) => message.startsWith('This is a copy'));
  };
  expect(await warnings()).toMatchObject([{ status: 'warning' }]);
  const taken = await workplace.run('service', 'take-over', '--data', copy);
  expect(taken).toMatchObject({ status: 0, stdout: expect.stringMatching(/^This is the service now\./) });
  expect(await workplace.json(['service', 'take-over', '--data', copy])).toMatchObject({ taken_over: false });
  expect(await warnings()).toEqual([]);
});
