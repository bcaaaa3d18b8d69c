import type { ErrorCode, ErrorDetails } from '../../base/errors.ts';

/** What happened, and what to do about it: one sentence each. */
export interface Sentence {
  readonly what: string;
  readonly todo: string;
}

export type Describe = (details: ErrorDetails) => Sentence;
export type Sentences<Code extends ErrorCode> = Readonly<Record<Code, Describe>>;

/** A detail as text; `fallback` where it is missing. */
export function detail(details: ErrorDetails, name: string, fallback: string): string {
  const value = details[name];
  if (value === undefined || value === '') return fallback;
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** A detail that is a list; empty where it is missing. */
export function listed(details: ErrorDetails, name: string): readonly string[] {
  const value = details[name];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

/** ` (ENOENT)`, where a detail `problem` says more. */
export function because(details: ErrorDetails, name = 'problem'): string {
  const value = details[name];
  return value === undefined ? '' : ` (${String(value)})`;
}

/** A moment in a detail, given in milliseconds or as ISO 8601, as ISO 8601. */
export function moment(value: ErrorDetails[string]): string {
  return typeof value === 'number' ? new Date(value).toISOString() : String(value);
}
