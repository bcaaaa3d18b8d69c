import { expect, test } from 'vitest';
import { addWebhook, removeWebhook } from '../../../../src/service/webhooks/administration.ts';
import { TestService } from '../harness.ts';

test('an account has at most fifty webhooks', async () => {
  const service = await TestService.open();
  const { webhooks } = service.service.context.metadata;
  const add = (accountId = service.accountId) =>
    addWebhook(webhooks, accountId, { url: 'https://example.com/hook', events: [] }, service.clock.now());
  const first = await add();
  for (let count = 1; count < 50; count += 1) await add();
  await expect(add()).rejects.toMatchObject({ code: 'conflict' });
  const other = await service.service.context.metadata.accounts.createAccount(service.clock.now());
  await add(other.id);
  await removeWebhook(webhooks, service.accountId, first.webhook_id);
  await add();
});
