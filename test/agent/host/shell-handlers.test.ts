import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { shellHandlers } from '../../../src/agent/host/shell-handlers.ts';
import type { Call } from '../../../src/base/calls/contract.ts';
import { phraseOf } from '../../../src/engine/crypto/recovery-phrase.ts';
import { privateAgentMethods } from '../../../src/ipc/contract/shell.ts';
import { HandlerFixture } from './handler-fixture.ts';

let fixture: HandlerFixture;
let call: Call<typeof privateAgentMethods>;
beforeEach(async () => {
  fixture = new HandlerFixture();
  await fixture.agent.setup({
    destination: { kind: 'folder', directory: fixture.path('backups') },
    deviceName: 'laptop',
  });
  const handlers = shellHandlers(fixture.host(), () => Promise.resolve());
  call = fixture.ask(privateAgentMethods, handlers);
});
afterEach(() => fixture.close());

describe('the phrase that unlocks the window', () => {
  test('is that of these backups', async () => {
    const phrase = await fixture.agent.recoveryPhrase();
    await expect(call('phrase.check', { phrase })).resolves.toEqual({});
  });

  test('is not a valid one of other backups', async () => {
    const phrase = phraseOf(Buffer.alloc(32, 7));
    await expect(call('phrase.check', { phrase })).rejects.toMatchObject({ code: 'phrase_other_account' });
  });

  test('is not one with a typing error', async () => {
    const phrase = (await fixture.agent.recoveryPhrase()).split(' ').slice(1).join(' ');
    await expect(call('phrase.check', { phrase })).rejects.toMatchObject({ code: 'phrase_invalid' });
  });
});
