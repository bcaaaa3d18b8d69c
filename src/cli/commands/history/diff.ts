import { Command } from 'commander';
import type { DatedChange, DatedSpan } from '../../../agent/operations/history/dated-span.ts';
import { outcome } from '../../outcome.ts';
import type { Run } from '../../runner.ts';
import { figureText, printable, timeText } from '../../text.ts';
import { TIME_HELP } from '../arguments.ts';
import {
  askHistory,
  reported,
  restOf,
  spanJson,
  withHistoryOptions,
  type AskedHistory,
  type HistoryOptions,
} from './history-command.ts';
import type { RestoreTime } from '../../../model/restore-request.ts';

interface Options extends HistoryOptions {
  readonly from?: string;
  readonly to: string;
}

/** Changes that are looked up at a time. */
const PAGE = 500;

export function diffCommand(run: Run): Command {
  const command = new Command('diff')
    .summary('list what changed between two restore points')
    .description('Lists what was added (+), removed (-) and changed (M) between two restore points of a set.')
    .argument('<name>', 'the backup set')
    .option('--from <time>', `the earlier one: ${TIME_HELP}; the one before the later one by default`)
    .option('--to <time>', 'the later one', 'latest');
  return withHistoryOptions(command)
    .addHelpText('after', '\nExample:\n  holdfast diff documents --from "last monday" --to latest')
    .action((name: string, _options: unknown, self: Command) => {
      const options = self.optsWithGlobals<Options>();
      return run(options, async (context) => {
        const { pointInTime } = await import('../../../agent/input/point-in-time.ts');
        const start = options.from === undefined ? undefined : await pointInTime(options.from, Date.now());
        const to = await pointInTime(options.to, Date.now());
        const from = start === 'latest' ? Date.now() : start;
        const asked = await askHistory(name, options, context);
        const { reference } = asked;
        const compared = pageOf(asked, { from, to }, { count: 1 });
        if (!compared) return reported(asked, outcome(restOf(asked, { changes: [] }), []));
        // The pages are those of the two restore points that were found first.
        const between = {
          reference: { ...reference, destination: compared.destination },
          from: compared.from,
          to: compared.to,
        };
        const batches = (): AsyncGenerator<readonly DatedChange[]> => changes(asked, between);
        return reported(asked, {
          json: {
            kind: 'list',
            list: {
              name: 'changes',
              batches: async function* () {
                for await (const batch of batches()) yield batch.map(changeJson);
              },
              rest: restOf(asked, spanJson(compared)),
            },
          },
          lines: lines(batches(), compared),
        });
      });
    });
}

/** Returns a page of the differences, or `undefined` if the history is lost. */
function pageOf(
  { answers, reference }: AskedHistory,
  times: { readonly from: number | undefined; readonly to: RestoreTime },
  page: { readonly after?: number; readonly count: number },
): ReturnType<typeof answers.changes> | undefined {
  try {
    return answers.changes(reference, { ...times, ...page });
  } catch (error) {
    if (answers.isLost) return undefined;
    throw error;
  }
}

async function* changes(
  asked: AskedHistory,
  {
    reference,
    from,
    to,
  }: { readonly reference: AskedHistory['reference']; readonly from: number; readonly to: number },
): AsyncGenerator<readonly DatedChange[]> {
  for (let after: number | undefined = 0; after !== undefined;) {
    const page = pageOf({ ...asked, reference }, { from, to }, { after, count: PAGE });
    if (!page) return;
    yield page.rows;
    after = page.next;
  }
}

async function* lines(
  batches: AsyncIterable<readonly DatedChange[]>,
  { madeFrom, madeTo }: DatedSpan,
): AsyncGenerator<string> {
  yield `From ${timeText(madeFrom)} to ${timeText(madeTo)}:`;
  for await (const batch of batches) yield* batch.map(changeLine);
}

function changeJson({ path, before, after }: DatedChange): object {
  const version = (of: DatedChange['before']): object | null =>
    of ? { type: of.kind, size: of.size, modified: new Date(of.modified).toISOString(), content: of.content } : null;
  return { path, change: changeOf(before, after), before: version(before), after: version(after) };
}

function changeOf(before: DatedChange['before'], after: DatedChange['after']): 'added' | 'removed' | 'changed' {
  if (!before) return 'added';
  return after ? 'changed' : 'removed';
}

const MARKS = { added: '+', removed: '-', changed: 'M' } as const;
const SIZE_WIDTH = 14;

function changeLine({ path, before, after }: DatedChange): string {
  const shown = after ?? before;
  const bytes = shown?.kind === 'file' ? figureText(shown.size) : '';
  return `${MARKS[changeOf(before, after)]} ${bytes.padStart(SIZE_WIDTH)}  ${printable(path)}`;
}
