import { mkdirSync } from 'node:fs';
import type { Command } from 'commander';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProgram } from '../../../src/cli/program.ts';
import { describeEnd, Workplace, type Ended } from '../e2e/workplace.ts';

/** Words after each command, with which it changes nothing. Most are refused by the operation itself. */
const WORDS: Readonly<Record<string, string>> = {
  setup: '--destination ./elsewhere',
  'destination add': '--name destination --destination ./elsewhere',
  'destination list': '',
  'destination change': 'nonsense --name other',
  'destination remove': 'nonsense',
  'destination copy': 'nonsense destination',
  'destination renew': 'nonsense',
  'destination sign-in': 'nonsense',
  'set add': 'docs source',
  'set hooks': 'docs',
  'set list': '',
  'set show': 'docs',
  'set remove': 'nonsense',
  backup: 'nonsense',
  'points list': 'docs',
  'points pin': 'docs 2001-01-01',
  'points unpin': 'docs 2001-01-01',
  'points remove': 'docs 2001-01-01 --yes',
  ls: 'docs',
  find: 'docs *',
  versions: 'docs missing',
  diff: 'docs',
  restore: 'docs --to source',
  undo: '',
  export: 'docs --to password',
  mount: 'docs missing',
  verify: 'docs',
  drill: 'nonsense',
  check: '',
  repair: '',
  free: '--destination nonsense',
  'retention show': 'docs',
  'retention set': 'nonsense --daily 1',
  'retention preview': 'docs',
  'retention apply': 'nonsense --yes',
  'retention release': 'nonsense',
  'retention lock': 'nonsense --days 1',
  'timer status': '',
  'timer on': 'nonsense',
  'timer off': 'nonsense',
  status: '',
  report: '',
  'key export': '',
  'key rotate': '--home missing',
  'key passphrase': '--home missing',
  'key code': '--home missing',
  'key adopt': '--recovery-phrase-file password',
  'host-key': '',
  devices: '',
  'service start': '--data password',
  'service check': '--data missing',
  'service account create': '--data missing --email a@example.org --password-file missing',
  'service account reset-password': '--data missing --email a@example.org',
  'service account reset-factors': '--data missing --email a@example.org',
  'service webhook add': '--data missing --email a@example.org --url https://example.org',
  'service webhook list': '--data missing --email a@example.org',
  'service webhook change': 'nonsense --data missing --email a@example.org --url https://example.org',
  'service webhook rotate': 'nonsense --data missing --email a@example.org',
  'service webhook enable': 'nonsense --data missing --email a@example.org',
  'service webhook disable': 'nonsense --data missing --email a@example.org',
  'service webhook remove': 'nonsense --data missing --email a@example.org',
  'service webhook deliveries': '--data missing --email a@example.org',
  'service webhook delivery': 'nonsense --data missing --email a@example.org',
  'service webhook send-again': 'nonsense --data missing --email a@example.org',
  'service webhook test': 'nonsense --data missing --email a@example.org',
  'service webhook replay': 'nonsense --data missing --email a@example.org --from 2001-01-01',
  'service plan show': '--data missing --email a@example.org',
  'service plan set': 'nonsense --data missing --email a@example.org --limit 1GB',
  'service plan payment-failed': '--data missing --email a@example.org --reason none',
  'service plan paid': '--data missing --email a@example.org',
  'service plan provider-secret': '--data missing',
  'service erasure list': '--data missing --email a@example.org',
  'service erasure request': '--data missing --email a@example.org',
  'service erasure cancel': 'nonsense --data missing --email a@example.org',
  'service alarms': '--data missing --email a@example.org',
  'service copy': '--data missing --to source',
  'service take-over': '--data missing',
  'service export': '--data missing --to password',
  'service import': '--data missing --from missing',
};

/** Names of the commands that have no commands below them. */
function leaves(command: Command, names: readonly string[] = []): readonly string[] {
  if (command.commands.length === 0) return [names.join(' ')];
  return command.commands.flatMap((child) => leaves(child, [...names, child.name()]));
}

/** Durations, times and sizes change while the commands run. */
const comparable = ({ status, signal, stdout, stderr }: Ended) => ({
  status,
  signal,
  stdout: withoutFigures(stdout),
  stderr: withoutFigures(stderr),
});
const withoutFigures = (text: string): string => text.replaceAll(/\d+(?:[.,]\d+)?/g, '0');

describe('every command', () => {
  let workplace: Workplace;
  beforeAll(async () => {
    workplace = new Workplace();
    mkdirSync(workplace.path('source'));
    workplace.write('source/file', 'content');
    workplace.write('password', 'a password that nobody has');
    await started('setup', '--destination', workplace.destination);
    await started('set', 'add', 'docs', workplace.path('source'), '--exclude', '!*');
    await started('backup', 'docs');
  });
  afterAll(() => workplace[Symbol.dispose]());

  async function started(...words: readonly string[]): Promise<void> {
    const ended = await workplace.start(words).ended;
    if (ended.status !== 0) throw new Error(describeEnd(ended));
  }

  test('is in the table', () => {
    const streams = { out: new PassThrough(), error: new PassThrough() };
    expect(leaves(createProgram(streams, async () => {})).toSorted()).toEqual(Object.keys(WORDS).toSorted());
  });

  test.each(Object.entries(WORDS))('ends in a warm process as in a new one: %s %s', async (name, rest) => {
    const words = `${name} ${rest}`.trim().split(' ');
    const real = await workplace.start(words).ended;
    expect(real.stderr).not.toMatch(/error: |unknown (?:command|option)|bug in Holdfast/);
    expect(comparable(await workplace.run(...words))).toEqual(comparable(real));
  });
});
