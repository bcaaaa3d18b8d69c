import { InvalidArgumentError, Option } from 'commander';

export const TIME_HELP = '2026-11-21T14:05:00Z, 2026-11-21, "2 hours ago", "yesterday 14:00" or latest';

/** For options that may be given several times. */
export function collected(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

export function atOption(): Option {
  return new Option('--at <time>', `as it was at: ${TIME_HELP}`).default('latest', 'latest');
}

export function deviceOption(): Option {
  return new Option('--device <id>', "another device's backups, by its id (see: holdfast devices)");
}

/** A whole number in a range; `what` names it in the message. */
export function wholeNumber(what: string, least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`${what} is a whole number from ${least} to ${most}.`);
  };
}

/** More than 0, up to 100. */
export function percent(text: string): number {
  const value = /^\d{1,3}(\.\d{1,6})?%?$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (value > 0 && value <= 100) return value;
  throw new InvalidArgumentError('a sample is more than 0 and at most 100 percent.');
}
