import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { shellHandlers } from '../../../../src/agent/host/shell-handlers.ts';
import type { Call } from '../../../../src/base/calls/contract.ts';
import { phraseOf } from '../../../../src/format/crypto/recovery-phrase.ts';
import { setsHandlers } from '../../../../src/agent/host/sets/sets-handlers.ts';
import { windowAgentMethods } from '../../../../src/ipc/contract/contract.ts';
import { setMethods } from '../../../../src/ipc/contract/sets.ts';
import { privateAgentMethods } from '../../../../src/ipc/contract/shell.ts';
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

describe('the commands around backups', () => {
  beforeEach(async () => {
    fixture.write('docs/a');
    const roots = [fixture.path('docs')];
    await fixture.agent.addSet({
      form: { name: 'docs', roots, excludes: [], oneFileSystem: false, privateNames: false },
    });
  });

  test('are changed by the main process alone', async () => {
    expect(Object.keys(windowAgentMethods)).not.toContain('sets.hooks.save');
    await call('sets.hooks.save', { set: 'docs', commands: { before: { line: 'true' } } });
    expect((await fixture.agent.set({ set: 'docs' })).hooks).toEqual({ before: { run: 'true' } });
    expect(fixture.notified.changed).toBe(1);
    await call('sets.hooks.save', { set: 'docs', commands: {} });
    expect(await fixture.agent.set({ set: 'docs' })).not.toHaveProperty('hooks');
  });

  test('stay when the window saves the set, which can neither see nor replace them there', async () => {
    await call('sets.hooks.save', { set: 'docs', commands: { after: { line: '["true", "x"]', timeoutSeconds: 5 } } });
    const ask = fixture.ask(setMethods, setsHandlers(fixture.host()));
    const { form } = await ask('sets.get', { set: 'docs' });
    expect(form).not.toHaveProperty('hooks');
    const forged = { ...form, hooks: { before: { run: 'rm -rf ~' } }, oneFileSystem: true };
    await ask('sets.save', { set: 'docs', form: forged });
    await ask('sets.add', { form: { ...forged, name: 'other' } });
    expect(await fixture.agent.set({ set: 'docs' })).toMatchObject({
      oneFileSystem: true,
      hooks: { after: { run: ['true', 'x'], timeoutSeconds: 5 } },
    });
    expect((await fixture.agent.set({ set: 'docs' })).hooks).not.toHaveProperty('before');
    expect(await fixture.agent.set({ set: 'other' })).not.toHaveProperty('hooks');
    expect(await ask('sets.hooks', { set: 'docs' })).toEqual({
      commands: { after: { line: '["true","x"]', timeoutSeconds: 5 } },
      results: {},
    });
  });
});
