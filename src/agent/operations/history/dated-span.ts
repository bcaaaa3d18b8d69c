import type { HistoryVersion } from '../../../history/queries.ts';
import type { Span } from '../../../history/spans.ts';

/** The times of its restore points, which identify them, and when these were made: earlier after a clock that was ahead. */
export interface DatedSpan extends Span {
  readonly madeFrom: number;
  readonly madeTo: number;
}

export type DatedVersion = HistoryVersion & DatedSpan;

export interface DatedChange {
  readonly path: string;
  readonly before: DatedVersion | undefined;
  readonly after: DatedVersion | undefined;
}

/** A restore point that several destinations have was made when the first of them says so: at the others it is a copy. */
export function datedBy(late: readonly ReadonlyMap<number, number>[]): <Of extends Span>(span: Of) => Of & DatedSpan {
  const made = (time: number): number => Math.min(time, ...late.flatMap((times) => times.get(time) ?? []));
  return (span) => ({ ...span, madeFrom: made(span.from), madeTo: made(span.to) });
}
