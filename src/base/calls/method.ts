import type { z } from 'zod';

/** One question that can be asked over a process border: what goes in, and what comes out. Both ends check both. */
export interface Method<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  readonly input: Input;
  readonly output: Output;
}

export function method<Input extends z.ZodType, Output extends z.ZodType>(
  input: Input,
  output: Output,
): Method<Input, Output> {
  return { input, output };
}

/** A set of methods by their names, `area.verb`. */
export type Contract = Readonly<Record<string, Method>>;

/** What somebody who asks has to pass. */
export type InputOf<Methods extends Contract, Name extends keyof Methods> = z.input<Methods[Name]['input']>;

/** What somebody who asks is answered. */
export type OutputOf<Methods extends Contract, Name extends keyof Methods> = z.output<Methods[Name]['output']>;

/** Who answers: one function for each method, of checked input. */
export type Handlers<Methods extends Contract> = {
  readonly [Name in keyof Methods]: (
    input: z.output<Methods[Name]['input']>,
  ) => Promise<z.input<Methods[Name]['output']>> | z.input<Methods[Name]['output']>;
};

/** Who asks. Rejects with a `HoldfastError`. */
export type Call<Methods extends Contract> = <Name extends Extract<keyof Methods, string>>(
  name: Name,
  input: InputOf<Methods, Name>,
) => Promise<OutputOf<Methods, Name>>;
