import { InvalidArgumentError, Option } from 'commander';
import { COMPRESSIONS } from '../../model/compression.ts';

export const TIME_HELP = '2026-11-21T14:05:00Z, 2026-11-21, "2 hours ago", "yesterday 14:00" or latest';

/** Collects the values of an option that may be given several times. */
export function collected(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

export function atOption(): Option {
  return new Option('--at <time>', `as it was at: ${TIME_HELP}`).default('latest', 'latest');
}

export function deviceOption(): Option {
  return new Option('--device <device>', "another device's backups, by its name or id (see: holdfast devices)");
}

/** @param usual what holds without it */
export function destinationOption(usual: string): Option {
  return new Option('--destination <name>', `the destination, by its name (see: holdfast destination list); ${usual}`);
}

export const FIRST = 'the first by default';
export const NEAREST = 'by default the nearest that is at hand and has the newest restore point';

export const LIMIT_HELP = `
Limits are for services, not for folders. A rate is KiB a second, or has a unit: 500, 500K, 1.5M.`;

/** The upload and download limits of a run, in bytes per second. */
export function limitOption(direction: 'upload' | 'download'): Option {
  return new Option(`--limit-${direction} <rate>`, `${direction} no faster than this`).argParser(transferRate);
}

const RATE_UNITS: Readonly<Record<string, number>> = { k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** KiB per second without a unit. At least 1 KiB, since requests would fail below that. */
export function transferRate(text: string): number {
  const [, number, unit] = /^(\d{1,9}(?:\.\d{1,6})?) ?(?:([kmg])(?:i?b)?)?(?:\/s)?$/i.exec(text.trim()) ?? [];
  const rate = Math.round(Number(number) * (RATE_UNITS[(unit ?? 'k').toLowerCase()] ?? Number.NaN));
  if (rate >= 1024) return rate;
  throw new InvalidArgumentError('A rate is at least 1 KiB a second, like 500, 500K or 2M.');
}

/** The fingerprint of a host key, as ssh-keygen or another program prints it; `undefined` if it is none. */
export function fingerprintIn(text: string): string | undefined {
  return /^(SHA256:[A-Za-z0-9+/]{43})=*$/.exec(text.trim())?.[1];
}

export function fingerprint(text: string): string {
  const found = fingerprintIn(text);
  if (found !== undefined) return found;
  throw new InvalidArgumentError('A fingerprint is like the one that ssh-keygen -l prints: SHA256 and 43 characters.');
}

/** A whole number in a range; `what` names it in the message. */
export function wholeNumber(what: string, least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(
      `${what.charAt(0).toUpperCase()}${what.slice(1)} is a whole number from ${least} to ${most}.`,
    );
  };
}

/** More than 0, up to 100. */
export function percent(text: string): number {
  const value = /^\d{1,3}(\.\d{1,6})?%?$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (value > 0 && value <= 100) return value;
  throw new InvalidArgumentError('A sample is more than 0 and at most 100 percent.');
}

/** `off`, or whole percent. */
export function parityShare(text: string): number {
  if (text === 'off') return 0;
  const value = /^\d{1,3}%?$/.test(text) ? Number.parseInt(text, 10) : Number.NaN;
  if (value >= 1 && value <= 100) return value;
  throw new InvalidArgumentError('Parity is off, or a whole number from 1 to 100 percent.');
}

/** `8:00-18:30`, in minutes after midnight; the end may lie on the next day. */
export function hoursOfDay(text: string): { readonly from: number; readonly to: number } {
  const [, ...numbers] = /^(\d{1,2}):(\d{2})-(\d{1,2}):(\d{2})$/.exec(text.replaceAll(' ', '')) ?? [];
  const [fromHour = 24, fromMinute = 60, toHour = 24, toMinute = 60] = numbers.map(Number);
  const [from, to] = [fromHour * 60 + fromMinute, toHour * 60 + toMinute];
  if (fromHour < 24 && toHour < 24 && fromMinute < 60 && toMinute < 60 && from !== to) return { from, to };
  throw new InvalidArgumentError('Hours are like 08:00-18:30, with two different times.');
}

/** Applies to new chunks; what is stored already stays as it is. */
export function compressionOption(): Option {
  return new Option('--compression <level>', 'how hard to try to store less (default: default)').choices(COMPRESSIONS);
}
