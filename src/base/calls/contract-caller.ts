import { answer } from './answer.ts';
import { errorOf } from '../errors/failure.ts';
import type { Call, Contract } from './contract.ts';

/**
 * Returns the function that calls methods of a contract over a process border, and checks their output.
 *
 * @param send transmits the name and the input, and returns the `Answer`
 */
export function caller<Methods extends Contract>(
  contract: Methods,
  send: (name: string, input: unknown) => Promise<unknown>,
): Call<Methods> {
  return async (name, input) => {
    const { output } = contract[name]!;
    const answered = answer.parse(await send(name, input));
    if (!answered.ok) throw errorOf(answered.failure);
    return output.parse(answered.value) as never;
  };
}
