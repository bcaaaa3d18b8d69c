import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildTree } from '../../helpers/tree/build.ts';
import { compareTrees } from '../../helpers/tree/compare.ts';
import { directory, file } from '../../helpers/tree/nodes.ts';
import { describeEnd, Workplace, type BackupAnswer, type VerifyAnswer } from './workplace.ts';

const MINUTES = 60_000;
const ROUNDS = 3;

interface SetupAnswer {
  readonly device_id: string;
  readonly recovery_phrase: string;
  readonly adopted: boolean;
}

describe('two computers with one folder', () => {
  let workplace: Workplace;
  beforeEach(() => {
    workplace = new Workplace();
  });
  afterEach(() => workplace[Symbol.dispose]());

  /** Runs a command with `--json` in the home of a computer. */
  async function on<Answer>(computer: string, ...words: readonly string[]): Promise<Answer> {
    const ended = await workplace.runAt(workplace.path(computer), [...words, '--json']);
    if (ended.status !== 0) throw new Error(`${words.join(' ')} on ${computer}: ${describeEnd(ended)}`);
    return JSON.parse(ended.stdout) as Answer;
  }

  test(
    'back up at the same time, and each restores what the other one backed up',
    { timeout: 5 * MINUTES },
    async () => {
      const { destination } = workplace;
      const first = await on<SetupAnswer>('one', 'setup', '--destination', destination);
      const phrase = workplace.write('phrase', first.recovery_phrase);
      const joining = ['setup', '--destination', destination, '--recovery-phrase-file', phrase];
      const second = await on<SetupAnswer>('two', ...joining);
      expect(second).toMatchObject({ adopted: true });
      const computers = [
        { name: 'one', device: first.device_id, source: workplace.path('source of one') },
        { name: 'two', device: second.device_id, source: workplace.path('source of two') },
      ];
      for (const { name, source } of computers) {
        await buildTree(source, {
          'the same on both.bin': file({ seed: 1, size: 6_000_000 }),
          'own.bin': file({ seed: name.length + name.charCodeAt(0), size: 4_000_000 }),
          many: directory(
            Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`${index}`, file(`${name} ${index}`)])),
          ),
        });
        await on(name, 'set', 'add', 'documents', source, '--exclude', '!*');
      }

      for (let round = 0; round < ROUNDS; round += 1) {
        const runs = await Promise.all(computers.map(({ name }) => on<BackupAnswer>(name, 'backup', 'documents')));
        for (const run of runs) expect(run).toMatchObject({ files_processed: 202 + round, warnings: [] });
        for (const { name, source } of computers) {
          appendFileSync(join(source, 'own.bin'), `${name} ${round}`.repeat(10_000));
          writeFileSync(join(source, `new ${round}`), `the same on both ${round}`);
        }
      }
      await Promise.all(computers.map(({ name }) => on(name, 'backup', 'documents')));

      await on('three', ...joining);
      for (const reader of ['one', 'two', 'three']) {
        for (const { name, device, source } of computers) {
          const words = ['documents', '--device', device];
          const { points } = await on<{ points: unknown[] }>(reader, 'points', ...words);
          expect(points).toHaveLength(ROUNDS + 1);
          const target = workplace.path(`${name} on ${reader}`);
          await on(reader, 'restore', ...words, '--to', target);
          expect(await compareTrees(source, join(target, `source of ${name}`))).toEqual([]);
        }
      }
      for (const { name } of computers) {
        expect((await on<VerifyAnswer>(name, 'verify', 'documents')).failures).toEqual([]);
      }
    },
  );

  test('set up at the same time: one succeeds, and the other one is told that backups exist', async () => {
    const setups = ['one', 'two'].map((computer) =>
      workplace.runAt(workplace.path(computer), ['setup', '--destination', workplace.destination, '--json']),
    );
    const ended = await Promise.all(setups);
    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set([0, 4]));
    const refused = ended.find(({ status }) => status === 4)!;
    const { error } = JSON.parse(refused.stdout) as { error: { code: string } };
    expect(['phrase_needed', 'phrase_other_account']).toContain(error.code);

    const winner = ended[0]!.status === 0 ? 'one' : 'two';
    const source = workplace.path('source');
    await buildTree(source, { 'a.txt': file('content') });
    await on(winner, 'set', 'add', 'documents', source);
    await on(winner, 'backup', 'documents');
    await on(winner, 'restore', 'documents', '--to', workplace.path('target'));
    expect(await compareTrees(source, workplace.path('target/source'))).toEqual([]);
  });
});
