import type { Formats } from './formats.ts';

/** The details of a failure as a sentence wants them. */
export interface FailureFacts {
  /** As text; `fallback` where it is missing or empty. */
  readonly text: (name: string, fallback?: string) => string;
  readonly has: (name: string) => boolean;
  readonly list: (name: string) => readonly string[];
  readonly number: (name: string) => number | undefined;
  readonly bytes: (name: string) => string | undefined;
  /** Of milliseconds, either way: how long that is, to the minute. */
  readonly length: (name: string) => string | undefined;
  /** Of milliseconds or ISO 8601. */
  readonly time: (name: string) => string | undefined;
}

export function failureFacts(details: Readonly<Record<string, unknown>>, formats: Formats): FailureFacts {
  const isThere = (value: unknown): boolean => value !== undefined && value !== '';
  const numberOf = (name: string): number | undefined => {
    const value = details[name];
    return typeof value === 'number' ? value : undefined;
  };
  return {
    has: (name) => isThere(details[name]),
    text: (name, fallback = '') => {
      const value = details[name];
      if (!isThere(value)) return fallback;
      return Array.isArray(value) ? value.join(', ') : String(value);
    },
    list: (name) => {
      const value = details[name];
      return Array.isArray(value) ? (value as readonly string[]) : [];
    },
    number: numberOf,
    bytes: (name) => {
      const value = numberOf(name);
      return value === undefined ? undefined : formats.bytes(value);
    },
    length: (name) => {
      const value = numberOf(name);
      return value === undefined ? undefined : formats.duration(Math.round(Math.abs(value) / 60_000) * 60);
    },
    time: (name) => {
      const value = details[name];
      if (typeof value !== 'number' && typeof value !== 'string') return undefined;
      return Number.isNaN(new Date(value).getTime()) ? String(value) : formats.dateTime(value);
    },
  };
}
