import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { masterKeyOf } from '../../src/engine/crypto/recovery-phrase.ts';
import { Canaries } from '../helpers/canaries.ts';
import { InProcessService } from '../helpers/service/in-process-service.ts';
import { Server } from './server.ts';
import { describeEnd, Workplace, type Ended } from './workplace.ts';

/** Where secrets are kept, and the files that this test hands them over in. */
const ALLOWED = /(?:^|\/)secrets\.json(?:\.\d+\.new)?$|^given-/;
const PASSPHRASE = 'seven canaries sing in the mine 4711';

let workplace: Workplace;
let canaries: Canaries;
beforeEach(() => {
  workplace = new Workplace();
  canaries = new Canaries();
  mkdirSync(workplace.path('tmp'));
  workplace.environment['TMPDIR'] = workplace.path('tmp');
  mkdirSync(workplace.path('source'));
  for (let file = 0; file < 20; file += 1) writeFileSync(workplace.path('source', `${file}`), `content ${file}`);
});
afterEach(() => workplace[Symbol.dispose]());

/** Runs a command, and searches for secrets while it runs, in what it prints and in what it leaves. */
async function searched(words: readonly string[], expected = 0): Promise<void> {
  const { child, ended } = workplace.start(words);
  const found: string[] = [];
  let result: Ended | undefined;
  for (; !result; result = await Promise.race([ended, sleep(20, undefined)])) {
    found.push(...canaries.ofProcesses(child.pid!), ...canaries.below(workplace.folder, ALLOWED));
  }
  requireStatus(result, expected);
  found.push(...canaries.in(result.stdout + result.stderr).map((secret) => `output: ${secret}`));
  found.push(...canaries.below(workplace.folder, ALLOWED));
  expect({ words, found }).toEqual({ words, found: [] });
}

function requireStatus(ended: Ended, status = 0): void {
  if (ended.status !== status) throw new Error(describeEnd(ended));
}

function plantPhrase(phrase: string): void {
  const words = phrase.split(' ');
  canaries.add('phrase', phrase);
  canaries.add('part of the phrase', words.slice(3, 8).join(' '));
  canaries.add('phrase as JSON', JSON.stringify(words).slice(1, -1));
  canaries.add('master key', masterKeyOf(phrase));
}

describe('secrets stay where they belong', () => {
  test('in every command at a folder', async () => {
    canaries.add('passphrase', PASSPHRASE);
    const passphrase = workplace.write('given-passphrase', PASSPHRASE);
    const made = await workplace.run(
      'setup',
      '--destination',
      workplace.destination,
      '--passphrase-file',
      passphrase,
      '--print-json',
    );
    requireStatus(made);
    const { recovery_phrase: phrase } = JSON.parse(made.stdout) as { readonly recovery_phrase: string };
    plantPhrase(phrase);
    // The key of the set-up itself, too, has left nothing behind.
    expect(canaries.below(workplace.folder, ALLOWED)).toEqual([]);
    await searched(['set', 'add', 'documents', workplace.path('source')]);
    await searched(['backup', 'documents']);
    await searched(['status']);
    await searched(['check', '--read-data']);
    await searched(['repair']);
    await searched(['verify', 'documents']);
    await searched(['restore', 'documents', '--to', workplace.path('target')]);
    await searched(['backup', 'unknown'], 2);
    workplace.environment['HOLDFAST_DEBUG'] = '1';
    await searched(['backup', 'documents']);
    // A bug, with its stack.
    writeFileSync(`${workplace.home}/schedules.json`, '\0');
    await searched(['status', '--json']);
    const { child, ended } = workplace.start(['backup', 'documents']);
    child.kill('SIGABRT');
    await ended;
    expect(canaries.below(workplace.folder, ALLOWED)).toEqual([]);
    // What is searched for can be found.
    expect(canaries.in((await workplace.run('key', 'export', '--json')).stdout)).toContain('phrase');
    expect(canaries.below(workplace.folder, /^given-/)).toContain('home/secrets.json: master key');
  });

  test('at a service, and in its log and its data', async () => {
    const data = workplace.path('data');
    const service = await InProcessService.open(data, { create: true });
    const { deviceId, deviceKey } = await service.registerDevice({
      name: 'laptop',
      os: 'Linux',
      agent_version: 'test',
    });
    await service.close();
    canaries.add('device key', deviceKey);
    const server = await Server.start(workplace, data);
    const key = workplace.write('given-device-key', deviceKey);
    const place = ['--server', server.address, '--device-id', deviceId, '--device-key-file', key];
    const made = await workplace.run('setup', ...place, '--print-json');
    requireStatus(made);
    plantPhrase((JSON.parse(made.stdout) as { readonly recovery_phrase: string }).recovery_phrase);
    await searched(['set', 'add', 'documents', workplace.path('source')]);
    await searched(['backup', 'documents']);
    await searched(['restore', 'documents', '--to', workplace.path('target')]);
    expect(canaries.ofProcesses(server.running.child.pid!)).toEqual([]);
    await server[Symbol.asyncDispose]();
    const { stdout, stderr } = await server.running.ended;
    const log = stdout + stderr;
    expect(log).toContain('/functions/v1/backup');
    expect(canaries.in(log)).toEqual([]);
    // Access tokens, and the signatures of presigned addresses.
    expect(log).not.toMatch(/eyJ[\w-]{10,}\.|signature=[^"\s]/i);
  });
});
