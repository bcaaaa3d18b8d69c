import type { Answer } from './answer.ts';
import type { Failure } from '../errors/failure.ts';
import type { Contract, Handlers } from './contract.ts';

/**
 * Performs a call that came over a process border, and checks its input and output. Unknown methods and invalid input are
 * `refused`.
 *
 * @param explain converts an error for the caller; `internal` stands for a bug
 */
export async function serve<Methods extends Contract>(
  contract: Methods,
  handlers: Handlers<Methods>,
  name: unknown,
  input: unknown,
  explain: (error: unknown) => Failure,
): Promise<Answer> {
  const known = typeof name === 'string' && Object.hasOwn(contract, name) ? contract[name] : undefined;
  if (!known) return refused('method');
  const checked = known.input.safeParse(input);
  if (!checked.success) return refused('input');
  try {
    const handler = handlers[name as keyof Methods] as (input: unknown) => unknown;
    return { ok: true, value: known.output.parse(await handler(checked.data)) };
  } catch (error) {
    return { ok: false, failure: explain(error) };
  }
}

function refused(problem: 'input' | 'method'): Answer {
  return { ok: false, failure: { code: 'refused', details: { problem } } };
}
