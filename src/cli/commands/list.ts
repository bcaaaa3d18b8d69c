import { Command } from 'commander';
import type { RunWarning } from '../../jobs/run-warning.ts';
import type { ListedEntry } from '../../read/list.ts';
import type { GlobalOptions, Run } from '../runner.ts';
import { figureText, printable, timeText } from '../text.ts';
import { atOption, destinationOption, deviceOption, NEAREST } from './arguments.ts';
import { locatedSet } from './located-set.ts';
import { warningText } from './runs/warnings.ts';

interface Options extends GlobalOptions {
  readonly at: string;
  readonly recursive?: boolean;
  readonly device?: string;
  readonly destination?: string;
}

export function listCommand(run: Run): Command {
  return new Command('ls')
    .summary('list the contents of a restore point')
    .description('Lists files, folders and links as they were at a restore point.')
    .argument('<name>', 'the backup set')
    .argument('[path]', 'a folder or a file; the top level of the set by default')
    .addOption(atOption())
    .option('--recursive', 'include everything below')
    .addOption(destinationOption(NEAREST))
    .addOption(deviceOption())
    .addHelpText('after', '\nExample:\n  holdfast ls documents ~/Documents/letters --at "yesterday 14:00"')
    .action((name: string, path: string | undefined, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      return run(options, async (context) => {
        const { pointInTime } = await import('../../agent/input/point-in-time.ts');
        const at = await pointInTime(options.at, Date.now());
        const { agent, reference } = await locatedSet(name, options, context);
        const request = { ...reference, at, path: path ?? '/', recursive: options.recursive === true };
        const warnings: RunWarning[] = [];
        const batches = async function* (): AsyncIterable<readonly ListedEntry[]> {
          yield* await agent.list(request, { signal: context.signal, onWarning: (warning) => warnings.push(warning) });
        };
        // Known once the entries are.
        const rest = {
          get warnings() {
            return warnings.length === 0 ? undefined : warnings;
          },
        };
        return {
          json: { kind: 'list', list: { name: 'entries', batches, rest } },
          lines: entryLines(batches),
          get exitCode() {
            return warnings.length === 0 ? 0 : 3;
          },
          get warnings() {
            return warnings.map(warningText);
          },
        };
      });
    });
}

/** Sends no request before the first line is read. */
async function* entryLines(batches: () => AsyncIterable<readonly ListedEntry[]>): AsyncGenerator<string> {
  for await (const batch of batches()) for (const entry of batch) yield entryLine(entry);
}

const MARKS = { file: '-', directory: 'd', symlink: 'l' } as const;
const SIZE_WIDTH = 14;

function entryLine({ path, type, size, modified }: ListedEntry): string {
  const bytes = type === 'file' ? figureText(size) : '';
  return `${MARKS[type]} ${bytes.padStart(SIZE_WIDTH)}  ${timeText(modified)}  ${printable(path)}`;
}
