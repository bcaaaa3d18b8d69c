import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { HoldfastError, isHoldfastError } from '../../../../../src/base/errors/errors.ts';
import type { BackupStats } from '../../../../../src/protocol/backup.ts';
import { WorkerPool } from '../../../../../src/workers/pool.ts';
import { InstantClock } from '../../../../unit/remote/instant-clock.ts';
import { Computer, Place, type Step } from './places.ts';

let pool: WorkerPool;
let computer: Computer;
let place: Place;
beforeAll(() => {
  pool = new WorkerPool(2);
});
afterAll(() => pool.close());
beforeEach(() => {
  computer = new Computer(pool);
  place = new Place('service');
  computer.write('large', randomBytes(12_000_000));
  computer.write('small', 'content');
});
afterEach(() => computer[Symbol.dispose]());

/** As a service answers once a session was not used for a day, by its own clock. */
function ended(): never {
  throw new HoldfastError('service_error', {
    status: 409,
    reason: 'session_closed',
    detail: 'the session is failed',
  });
}

describe('a session that the service ends during a backup', () => {
  test.each<[Step]>([['early'], ['late'], ['complete']])('is replaced by another one, at %s', async (step) => {
    if (step === 'late') place.offered = new Set();
    place.hooks[step] = (call) => {
      if (call === 1) ended();
    };
    const [outcome] = await computer.backUp([place]);
    expect(outcome?.error).toBeUndefined();
    expect(place.callsOf('complete')).toBe(step === 'complete' ? 2 : 1);
    await computer.expectRestored(place);
  });

  test('fails the backup if it is ended every time', async () => {
    place.hooks.complete = ended;
    const [outcome] = await computer.backUp([place]);
    expect(isHoldfastError(outcome?.error, 'service_error')).toBe(true);
    expect(place.callsOf('complete')).toBe(2);
  });
});

test('a backup reports no negative duration when the clock is set back during it', async () => {
  const clock = new InstantClock();
  computer.clock = clock;
  let stats: BackupStats | undefined;
  const { backupComplete } = place;
  place.backupComplete = async (...input) => {
    stats = input[1];
    return await backupComplete.apply(place, input);
  };
  place.hooks.init = () => clock.advance(-7_200_000);
  const [outcome] = await computer.backUp([place]);
  expect(outcome?.error).toBeUndefined();
  expect(stats?.duration_seconds).toBe(0);
  expect(outcome?.report?.durationSeconds).toBe(0);
});
