import { createInterface } from 'node:readline/promises';
import { wrongUsage } from '../base/errors/errors.ts';
import type { CommandContext } from './runner.ts';

/**
 * Asks a person to confirm an irreversible action. Without a terminal, `--yes` is required.
 *
 * @param question without the question mark
 * @throws HoldfastError `usage` without a terminal; `interrupted` for any other answer than yes
 */
export async function confirmed(
  question: string,
  given: boolean,
  { output, signal }: CommandContext,
): Promise<boolean> {
  if (given) return true;
  const { error } = output.streams;
  if (output.json || !process.stdin.isTTY || error.isTTY !== true) {
    throw wrongUsage({ problem: 'retention', message: `${question}: confirm with --yes.` });
  }
  const lines = createInterface({ input: process.stdin, output: error });
  try {
    const answer = await lines.question(`${question}? Type yes: `, { signal });
    return answer.trim().toLowerCase() === 'yes';
  } finally {
    lines.close();
  }
}
