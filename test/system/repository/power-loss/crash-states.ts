import type { Random } from '../../../helpers/random.ts';
import type { Change, Disk, Fate, Image } from './disk.ts';

/** A state that a power loss may leave. */
export interface CrashState {
  /** How it came about, for the message of a failure. */
  readonly how: string;
  readonly image: Image;
}

/** Fates of writes that only a part of the bytes survives. */
const TORN: readonly Fate[] = ['half', 'sectors', 'pages', 'zeros', 'holes'];

/**
 * States after a power loss at this moment: with everything, with nothing that is not synced, with names but not bytes, and the other way
 * round, with the newest write torn, without one change, with only one, and random ones.
 *
 * @param random how many of the random ones
 */
export function* crashStates(disk: Disk, random: Random, count: number): Generator<CrashState> {
  yield { how: 'everything kept', image: disk.after(() => 'kept') };
  const { unsynced } = disk;
  if (unsynced.length === 0) return;
  yield { how: 'only what is synced', image: disk.after(() => 'lost') };
  if (unsynced.length === 1 && !isWrite(unsynced[0]!)) return;
  const withBytes = unsynced.some(isOfBytes);
  if (withBytes && !unsynced.every(isOfBytes)) {
    yield { how: 'names without bytes', image: disk.after((change) => (isOfBytes(change) ? 'lost' : 'kept')) };
    yield { how: 'bytes without names', image: disk.after((change) => (isOfBytes(change) ? 'kept' : 'lost')) };
  }
  if (withBytes) {
    yield { how: 'zeros in place of bytes', image: disk.after((change) => (isWrite(change) ? 'zeros' : 'kept')) };
  }
  const newest = unsynced.findLastIndex(isWrite);
  if (newest >= 0) {
    const fate = random.pick(TORN);
    yield { how: `the newest write: ${fate}`, image: disk.after((_, index) => (index === newest ? fate : 'kept')) };
  }
  for (let left = count; left > 0; left -= 1) yield randomState(disk, unsynced, random);
}

function randomState(disk: Disk, unsynced: readonly Change[], random: Random): CrashState {
  const one = random.below(unsynced.length);
  switch (random.below(4)) {
    case 0:
      return { how: `without change ${one}`, image: disk.after((_, index) => (index === one ? 'lost' : 'kept')) };
    case 1:
      return { how: `only change ${one}`, image: disk.after((_, index) => (index === one ? 'kept' : 'lost')) };
    default: {
      const kept = { names: random.pick([0.1, 0.5, 0.9]), bytes: random.pick([0.1, 0.5, 0.9]) };
      const fates = unsynced.map((change): Fate => {
        if (random.chance(isOfBytes(change) ? kept.bytes : kept.names)) return 'kept';
        return isWrite(change) && random.chance(0.5) ? random.pick(TORN) : 'lost';
      });
      return { how: `random: ${fates.join(' ')}`, image: disk.after((_, index) => fates[index]!) };
    }
  }
}

function isWrite(change: Change): boolean {
  return change.kind === 'write';
}

function isOfBytes(change: Change): boolean {
  return change.kind === 'write' || change.kind === 'truncate';
}
