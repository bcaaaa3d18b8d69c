import type { z } from 'zod';

/** A method that can be called over a process border, by the schemas of its input and its output. Both ends check both. */
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

/** Methods by name, `area.verb`. */
export type Contract = Readonly<Record<string, Method>>;

/** The input that the caller passes. */
export type InputOf<Methods extends Contract, Name extends keyof Methods> = z.input<Methods[Name]['input']>;

/** The output that the caller receives. */
export type OutputOf<Methods extends Contract, Name extends keyof Methods> = z.output<Methods[Name]['output']>;

/** One function for each method; it receives checked input. */
export type Handlers<Methods extends Contract> = {
  readonly [Name in keyof Methods]: (
    input: z.output<Methods[Name]['input']>,
  ) => Promise<z.input<Methods[Name]['output']>> | z.input<Methods[Name]['output']>;
};

/** Calls a method. Rejects with a `HoldfastError`. */
export type Call<Methods extends Contract> = <Name extends Extract<keyof Methods, string>>(
  name: Name,
  input: InputOf<Methods, Name>,
) => Promise<OutputOf<Methods, Name>>;
