import type { ErrorCode } from '../../base/errors.ts';

/** Of any code. */
export type Details = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** What happened, and what to do about it: one sentence each. */
export interface Sentence {
  readonly what: string;
  readonly todo: string;
}

export type Describe = (details: Details) => Sentence;
export type Sentences<Code extends ErrorCode> = Readonly<Record<Code, Describe>>;

/** A detail as text; `fallback` where it is missing. */
export function detail(details: Details, name: string, fallback: string): string {
  const value = details[name];
  if (value === undefined || value === '') return fallback;
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** A detail that is a list; empty where it is missing. */
export function listed(details: Details, name: string): readonly string[] {
  const value = details[name];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

/** ` (ENOENT)`, where a detail `problem` says more. */
export function because(details: Details, name = 'problem'): string {
  const value = details[name];
  return value === undefined ? '' : ` (${String(value)})`;
}

/** A moment in a detail, given in milliseconds or as ISO 8601, as ISO 8601. */
export function moment(value: unknown): string {
  return typeof value === 'number' ? new Date(value).toISOString() : String(value);
}
