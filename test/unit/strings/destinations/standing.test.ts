import { describe, expect, test } from 'vitest';
import type { ConfiguredDestination, SetAtDestination } from '../../../../src/ipc/state.ts';
import type { Decision } from '../../../../src/model/schedule/decision.ts';
import { isBackedUp, standingsOf } from '../../../../src/strings/destinations/standing.ts';
import type { Standing } from '../../../../src/strings/destinations/standing.ts';
import { standingWords } from '../../../../src/strings/destinations/standing-words.ts';
import { languageOf } from '../../../../src/strings/strings.ts';
import { BACKUP_DISK, PROTECTED } from '../../../app/renderer/states.ts';

const NOW = 1_800_000_000_000;
const HOUR = 3_600_000;
const FAILURE = { code: 'internal', details: {} } as const;

const set = (state: SetAtDestination['state'], agoHours?: number, decision: Decision = { kind: 'manual' }) => ({
  set: `s${agoHours}`,
  state,
  ...(agoHours === undefined ? {} : { lastGoodAt: NOW - agoHours * HOUR }),
  ...(state === 'failed' ? { failure: FAILURE } : {}),
  decision,
});

function standing(sets: readonly SetAtDestination[], change: Partial<ConfiguredDestination> = {}): Standing {
  const destination = { ...BACKUP_DISK, sets: [...sets], ...change };
  return standingsOf({ destinations: [destination], preferences: PROTECTED.preferences }, NOW)[0]!;
}

describe('the standing of a destination', () => {
  test.each<readonly [string, Standing, Standing['condition'], string, boolean]>([
    ['with everything', standing([set('succeeded', 1), set('warnings', 2)]), 'good', 'Up to date', true],
    ['with one set missing', standing([set('succeeded', 1), set('none')]), 'good', 'Incomplete', false],
    ['with nothing', standing([set('none'), set('none')]), 'good', 'No backup yet', false],
    ['while one set is backed up', standing([set('failed', 1), set('running', 2)]), 'running', 'Backing up', true],
    ['that is absent', standing([set('failed', 1)], { isAtHand: false }), 'absent', 'Not connected', true],
    ['where a set failed', standing([set('succeeded', 1), set('failed', 99)]), 'failed', 'Last attempt failed', false],
    ['one set of which is old', standing([set('succeeded', 1), set('succeeded', 72)]), 'behind', 'Out of date', false],
    ['that is not old yet', standing([set('succeeded', 71)]), 'good', 'Up to date', true],
    [
      'that was interrupted',
      standing([set('succeeded', 1), set('interrupted', 3)]),
      'interrupted',
      'Interrupted',
      true,
    ],
  ])('%s', (_title, found, condition, words, isDone) => {
    expect(found.condition).toBe(condition);
    expect(standingWords(found, languageOf('en', ['en-GB']))).toBe(words);
    expect(isBackedUp(found)).toBe(isDone);
    expect(found.failure).toEqual(condition === 'failed' || found.destination.sets[0]!.failure ? FAILURE : undefined);
  });

  test('is as old as the oldest of its sets', () => {
    expect(standing([set('succeeded', 1), set('succeeded', 5), set('succeeded', 2)]).copyAt).toBe(NOW - 5 * HOUR);
    expect(standing([set('succeeded', 1), set('none')]).copyAt).toBeUndefined();
    expect(standing([]).copyAt).toBeUndefined();
  });

  test.each<readonly [string, readonly Decision[], number | undefined]>([
    [
      'what runs',
      [
        { kind: 'next', at: 1 },
        { kind: 'running', since: 9, trigger: 'schedule' },
      ],
      1,
    ],
    [
      'what waits',
      [
        { kind: 'next', at: 1 },
        { kind: 'waiting', since: 9, reason: { kind: 'metered' } },
      ],
      1,
    ],
    ['the earliest next backup', [{ kind: 'next', at: 3 }, { kind: 'next', at: 2 }, { kind: 'manual' }], 1],
    ['what is watched', [{ kind: 'manual' }, { kind: 'watching', isPartial: false }], 1],
    ['nothing', [], undefined],
  ])('decides first on %s', (_title, decisions, index) => {
    const found = standing(decisions.map((decision) => set('succeeded', 1, decision))).decision;
    expect(found).toEqual(index === undefined ? undefined : decisions[index]);
  });
});
