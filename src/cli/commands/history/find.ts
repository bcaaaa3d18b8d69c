import { Command, InvalidArgumentError, Option } from 'commander';
import type { FoundPath } from '../../../agent/operations/history/found-paths.ts';
import type { PathSearch } from '../../../agent/operations/history/history-answers.ts';
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

interface Options extends HistoryOptions {
  readonly kind?: 'file' | 'folder' | 'link';
  readonly larger?: number;
  readonly smaller?: number;
  readonly modifiedAfter?: string;
  readonly modifiedBefore?: string;
  readonly deleted?: boolean;
}

/** Entries that are looked up at a time. */
const PAGE = 500;

export function findCommand(run: Run): Command {
  const command = new Command('find')
    .summary('find files in all restore points')
    .description(
      'Finds files, folders and links by their names in all restore points of a set, with the times of the first and the last that has each. ' +
        'A text is looked for anywhere in names, or with a / in paths, in upper or lower case. *, ? and [a-z] match whole names, ** any folders.',
    )
    .argument('<name>', 'the backup set')
    .argument('<pattern>', 'a part of the name, or a pattern such as "*.docx" or "letters/**"')
    .addOption(new Option('--kind <kind>', 'only these').choices(['file', 'folder', 'link']))
    .option('--larger <size>', 'at least this large: 500, 20K, 1.5M, 2G', bytesIn)
    .option('--smaller <size>', 'at most this large', bytesIn)
    .option('--modified-after <time>', `changed at that time or later: ${TIME_HELP}`)
    .option('--modified-before <time>', 'changed at that time or earlier')
    .option('--deleted', 'only what the newest restore point does not have');
  return withHistoryOptions(command)
    .addHelpText('after', '\nExample:\n  holdfast find documents "*.docx" --deleted')
    .action((name: string, pattern: string, _options: unknown, self: Command) => {
      const options = self.optsWithGlobals<Options>();
      return run(options, async (context) => {
        const filters = await filtersOf(options);
        const asked = await askHistory(name, options, context);
        const batches = (): AsyncGenerator<readonly FoundPath[]> => search(asked, { pattern, ...filters });
        return reported(asked, {
          json: {
            kind: 'list',
            list: {
              name: 'matches',
              batches: () => mapped(batches(), matchesOf),
              rest: restOf(asked),
            },
          },
          lines: flattened(mapped(batches(), (found) => found.map(matchLine))),
        });
      });
    });
}

async function filtersOf(options: Options): Promise<Omit<PathSearch, 'pattern'>> {
  const { pointInTime } = await import('../../../agent/input/point-in-time.ts');
  const { kind, larger, smaller, modifiedAfter, modifiedBefore, deleted } = options;
  const timeOf = async (text: string | undefined): Promise<number | undefined> => {
    if (text === undefined) return undefined;
    const time = await pointInTime(text, Date.now());
    return time === 'latest' ? undefined : time;
  };
  return {
    kind: kind && KINDS[kind],
    minimumSize: larger,
    maximumSize: smaller,
    modifiedFrom: await timeOf(modifiedAfter),
    modifiedTo: await timeOf(modifiedBefore),
    isDeletedOnly: deleted,
  };
}

const KINDS = { file: 'file', folder: 'directory', link: 'symlink' } as const;

async function* search(
  { answers, reference }: AskedHistory,
  filters: PathSearch,
): AsyncGenerator<readonly FoundPath[]> {
  for (let after: number | undefined = 0; after !== undefined;) {
    const { rows, next } = answers.find({ ...filters, ...reference }, { after, count: PAGE });
    yield rows;
    after = next;
  }
}

async function* mapped<From, To>(items: AsyncIterable<From>, map: (item: From) => To): AsyncGenerator<To> {
  for await (const item of items) yield map(item);
}

async function* flattened(batches: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  for await (const batch of batches) yield* batch;
}

/** One object for each time that the path existed without interruption. */
function matchesOf(found: readonly FoundPath[]): readonly object[] {
  return found.flatMap(({ path, spans, versions, isDeleted }) =>
    spans.map((span) => {
      const { from, to } = span;
      const within = versions.filter((version) => version.from <= to && version.to >= from);
      const { kind, size, modified } = within.at(-1) ?? versions.at(-1)!;
      return {
        path,
        ...spanJson(span),
        type: kind,
        size,
        modified: new Date(modified).toISOString(),
        versions: within.length,
        deleted: isDeleted,
      };
    }),
  );
}

const MARKS = { file: ' ', directory: 'd', symlink: 'l' } as const;
const SIZE_WIDTH = 14;

function matchLine({ path, spans, versions, isDeleted }: FoundPath): string {
  const { kind, size } = versions.at(-1)!;
  const bytes = kind === 'file' ? figureText(size) : '';
  const [first, last] = [spans[0]!.madeFrom, spans.at(-1)!.madeTo];
  const until = isDeleted ? `until ${timeText(last)}` : '';
  return `${MARKS[kind]} ${bytes.padStart(SIZE_WIDTH)}  ${timeText(first)}  ${until.padEnd(UNTIL_WIDTH)}  ${printable(path)}`;
}

const UNTIL_WIDTH = 'until 2026-11-21 15:05:33 +01:00'.length;

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12 };

/** Bytes, or with a unit: 20K is 20,000. */
function bytesIn(text: string): number {
  const [, number, unit = ''] = /^(\d{1,12}(?:\.\d{1,6})?) ?(?:([kmgt])b?)?$/i.exec(text.trim()) ?? [];
  if (number === undefined) throw new InvalidArgumentError('A size is like 500, 20K, 1.5M or 2G.');
  return Math.round(Number(number) * UNITS[unit.toLowerCase()]!);
}
