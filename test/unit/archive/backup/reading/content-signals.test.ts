import { describe, expect, test } from 'vitest';
import {
  ContentSignals,
  signalStatistics,
  type ContentChange,
} from '../../../../../src/archive/backup/reading/content-signals.ts';
import { DAMAGED, INTACT, RANDOM } from '../../../../../src/archive/chunk/content-probe.ts';

const none = { suspicious_names: 0, incompressible_files: 0, damaged_files: 0, replaced_files: 0, intact_files: 0 };

async function statisticsOf(
  change: Partial<ContentChange>,
  capabilities: readonly string[] = ['backup.complete.signals'],
) {
  const signals = new ContentSignals();
  signals.add({ name: 'letter.docx', signs: 0, hadContent: true, isEmpty: false, ...change });
  const service = { capabilities: () => Promise.resolve(new Set(capabilities)) };
  return await signalStatistics(service as Parameters<typeof signalStatistics>[0], 0, signals, undefined);
}

describe('signals of a run', () => {
  test.each<[string, Partial<ContentChange>, Partial<typeof none>]>([
    ['a changed file', {}, {}],
    ['one that is what its name says', { signs: INTACT }, { intact_files: 1 }],
    ['one that no longer is', { signs: DAMAGED }, { damaged_files: 1 }],
    ['one that never was', { signs: DAMAGED, hadContent: false }, {}],
    ['one that was emptied', { isEmpty: true }, { damaged_files: 1 }],
    ['an emptied one of unknown kind', { name: 'lock', isEmpty: true }, {}],
    ['one of random bytes', { name: 'a.c9r', signs: RANDOM }, { incompressible_files: 1 }],
    [
      'a new one with an extension behind another',
      { name: 'letter.docx.qzxv', signs: RANDOM, hadContent: false },
      { incompressible_files: 1, replaced_files: 1 },
    ],
    ['one that was there before', { name: 'letter.docx.qzxv', signs: RANDOM }, { incompressible_files: 1 }],
    ['one that is not random', { name: 'letter.docx.qzxv', hadContent: false }, {}],
    [
      'a file that a person encrypted',
      { name: 'letter.docx.gpg', signs: RANDOM, hadContent: false },
      { incompressible_files: 1 },
    ],
    ['a name of known ransomware', { name: 'letter.docx.lockbit' }, { suspicious_names: 1 }],
  ])('count %s', async (_, change, expected) => {
    expect(await statisticsOf(change)).toEqual({ warnings: 0, ...none, ...expected });
  });

  test('are not sent to a service that does not accept them', async () => {
    expect(await statisticsOf({ signs: DAMAGED }, [])).toEqual({});
  });
});
