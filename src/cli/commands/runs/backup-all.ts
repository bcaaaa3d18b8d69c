import type { BackupResult } from '../../../agent/operations/backup/backup-result.ts';
import { isHoldfastError, wrongUsage, type ErrorCode } from '../../../base/errors/errors.ts';
import { failureOf, type Failure } from '../../../base/errors/failure.ts';
import { exitCodeOf, type ExitCode } from '../../exit-code.ts';
import { failureText } from '../../failure-sentences.ts';
import type { Outcome } from '../../outcome.ts';
import { outcome } from '../../outcome.ts';
import { printable } from '../../text.ts';

/** With these failures no other set could be backed up either. */
const FOR_ALL: ReadonlySet<ErrorCode> = new Set([
  'interrupted',
  'home_busy',
  'home_damaged',
  'home_unwritable',
  'keychain_unavailable',
  'destination_unknown',
  'usage',
]);

/**
 * Backs up sets one after the other. One that fails does not keep the others from being backed up.
 *
 * @throws HoldfastError `usage` without any set, and a failure that holds for all of them
 */
export async function backUpAll(
  sets: readonly string[],
  backUp: (set: string) => Promise<BackupResult>,
  shownOne: (set: string, result: BackupResult) => Outcome,
): Promise<Outcome> {
  if (sets.length === 0) {
    throw wrongUsage({
      problem: 'options',
      message: '--all finds no backup set. Add one with: holdfast set add NAME PATH...',
    });
  }
  const ended: Ended[] = [];
  for (const set of sets) {
    try {
      ended.push({ set, shown: shownOne(set, await backUp(set)) });
    } catch (error) {
      const failure = failureOf(error);
      if (!failure || (isHoldfastError(error) && FOR_ALL.has(error.code))) throw error;
      ended.push({ set, failure });
    }
  }
  return combined(ended);
}

type Ended = { readonly set: string } & (
  | { readonly shown: Outcome; readonly failure?: undefined }
  | { readonly shown?: undefined; readonly failure: Failure }
);

async function combined(ended: readonly Ended[]): Promise<Outcome> {
  const lines: string[] = [];
  for (const { shown } of ended) {
    if (!shown) continue;
    if (lines.length > 0) lines.push('');
    for await (const line of shown.lines) lines.push(line);
  }
  return outcome({ sets: ended.map(jsonOf) }, lines, {
    exitCode: exitCodeOfAll(ended),
    warnings: ended.flatMap(({ set, shown, failure }) =>
      failure ? [`${printable(set)} was not backed up: ${sentence(failure)}`] : (shown.warnings ?? []),
    ),
  });
}

/** As with several destinations: if something was backed up, what was not is a warning. */
function exitCodeOfAll(ended: readonly Ended[]): ExitCode {
  const [first] = ended;
  if (first?.failure && ended.every(({ failure }) => failure)) return exitCodeOf(first.failure.code);
  return ended.every(({ shown }) => shown?.exitCode === 0) ? 0 : 3;
}

function jsonOf({ set, shown, failure }: Ended): object {
  if (failure)
    return { name: set, error: { code: failure.code, message: sentence(failure), details: failure.details } };
  return { name: set, ...(shown.json.kind === 'object' ? shown.json.value : {}) };
}

function sentence(failure: Failure): string {
  const { what, todo } = failureText(failure);
  return `${what} ${todo}`;
}
