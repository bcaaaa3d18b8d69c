import type { ErrorDetails, UsageDetails, UsageTopic } from '../base/errors/error-codes.ts';
import type { ErrorCode } from '../base/errors/errors.ts';
import type { Formats } from './formats.ts';

/** The cause of a failure, and its remedy for the reader: a sentence or two each. */
export interface FailureWords {
  readonly what: string;
  readonly todo: string;
}

export type FailureFormats = Pick<Formats, 'bytes' | 'dateTime' | 'duration'>;
export type Describe<Details> = (details: Details, formats: FailureFormats) => FailureWords;

type Literal<Text> = Text extends string ? (string extends Text ? never : Text) : never;

/** The literal values of `problem` or `reason`. */
type SubjectsOf<Details, Field extends string> = Details extends { readonly [Name in Field]?: infer Value }
  ? Literal<Value>
  : never;

/** The members of a union of details that may have this `problem` or `reason`. */
type Matching<Details, Subject> = Details extends { readonly problem?: infer Value }
  ? Subject extends Value
    ? Details
    : Details extends { readonly reason?: infer Reason }
      ? Subject extends Reason
        ? Details
        : never
      : never
  : Details extends { readonly reason?: infer Reason }
    ? Subject extends Reason
      ? Details
      : never
    : never;

type NarrowKey = {
  [Code in Exclude<ErrorCode, 'usage'>]: `${Code}:${
    | SubjectsOf<ErrorDetails[Code], 'problem'>
    | SubjectsOf<ErrorDetails[Code], 'reason'>}`;
}[Exclude<ErrorCode, 'usage'>];

type DetailsAt<Key> = Key extends `${infer Code extends ErrorCode}:${infer Subject}`
  ? Matching<ErrorDetails[Code], Subject>
  : never;

/**
 * The sentences of a language: one for each code. A key `code:problem` or `code:reason` stands for that case alone;
 * every problem of `usage` has one.
 */
export type FailureSentences = {
  readonly [Code in Exclude<ErrorCode, 'usage'>]: Describe<ErrorDetails[Code]>;
} & {
  readonly usage: Describe<Extract<UsageDetails, { readonly message: string }>>;
} & {
  readonly [Problem in Exclude<UsageDetails['problem'], UsageTopic> as `usage:${Problem}`]: Describe<
    Extract<UsageDetails, { readonly problem: Problem }>
  >;
} & { readonly [Key in NarrowKey]?: Describe<DetailsAt<Key>> };
