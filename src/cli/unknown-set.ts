import type { ErrorDetails } from '../base/errors/error-codes.ts';
import { printable, shellWord } from './text.ts';

/** The sentences for a set that does not exist, or that several devices have. */
export function setUnknown({ set, known, deviceId, stored }: ErrorDetails['set_unknown']): {
  readonly what: string;
  readonly todo: string;
} {
  if (stored) return unknownToRead(set, known, stored);
  if (deviceId !== undefined) {
    return {
      what: `The device ${deviceId} has no backup set named "${set}".`,
      todo: known.length === 0 ? 'List the devices with: holdfast devices' : `Choose one of: ${known.join(', ')}.`,
    };
  }
  return {
    what: `There is no backup set named "${set}" on this home.`,
    todo: known.length === 0 ? 'Create one with: holdfast set add NAME PATH...' : `Choose one of: ${known.join(', ')}.`,
  };
}

type StoredSet = NonNullable<ErrorDetails['set_unknown']['stored']>[number];

function unknownToRead(
  set: string,
  known: readonly string[],
  stored: NonNullable<ErrorDetails['set_unknown']['stored']>,
): { readonly what: string; readonly todo: string } {
  const same = stored.filter((each) => each.set === set);
  const isNamed = (each: StoredSet): boolean =>
    stored.every(({ deviceId, deviceName }) => deviceName !== each.deviceName || deviceId === each.deviceId);
  const deviceOf = (each: StoredSet): string =>
    isNamed(each)
      ? `--device ${shellWord(each.deviceName)}`
      : `--device ${each.deviceId} (${printable(each.deviceName)})`;
  if (same.length > 1) {
    const choices = same.map(deviceOf);
    return {
      what: `Several devices have a backup set named "${set}".`,
      todo: `Choose one with: ${choices.join(', or ')}.`,
    };
  }
  const here = known.map((name) => printable(name));
  const there = stored.map((each) => `${printable(each.set)} (${deviceOf(each)})`);
  const choices = [...here, ...there];
  return {
    what: `No device has a backup set named "${set}".`,
    todo: choices.length === 0 ? 'The destination has no backups yet.' : `Choose one of: ${choices.join('; ')}.`,
  };
}
