import { Command, Option } from 'commander';
import type { ConflictChoice } from '../../../model/restore-request.ts';
import type { TransferLimits } from '../../../remote/http/rate-limited-http.ts';
import type { GlobalOptions, Run } from '../../runner.ts';
import {
  atOption,
  collected,
  destinationOption,
  deviceOption,
  LIMIT_HELP,
  limitOption,
  NEAREST,
} from '../arguments.ts';
import { locatedSet } from '../located-set.ts';
import { restoreOutcome } from './restore-outcome.ts';

interface Options extends GlobalOptions, TransferLimits {
  readonly at: string;
  readonly path: readonly string[];
  readonly to?: string;
  readonly inPlace?: boolean;
  readonly exact?: boolean;
  readonly conflict?: ConflictChoice;
  readonly choices?: string;
  readonly acceptUnverified?: boolean;
  readonly dryRun?: boolean;
  readonly device?: string;
  readonly destination?: string;
}

const HELP_END = `${LIMIT_HELP}

Example:
  holdfast restore documents --at "2 hours ago" --path ~/Documents/letters --to /tmp/back
  holdfast restore documents --path ~/Documents/thesis.odt --in-place --conflict overwrite
  holdfast restore documents --path ~/Documents/letters --in-place --exact --at yesterday
  holdfast restore documents --in-place --conflict skip --choices choices.txt

A file for --choices:
  overwrite ~/Documents/letters
  keep-both ~/Documents/letters/draft.odt`;

export function restoreCommand(run: Run): Command {
  return new Command('restore')
    .summary('restore files')
    .description(
      'Restores a set, or some paths of it, as it was at a given time. Each folder of the set goes to DIR/<its own name>, ' +
        'and with --path each path does. To continue an interrupted restore, run it again.',
    )
    .argument('<name>', 'the backup set')
    .addOption(atOption())
    .option('--path <path>', 'only this file or folder; may be given several times', collected, [])
    .option('--to <dir>', 'where to')
    .option('--in-place', 'put everything back where it was; what is replaced is kept in a folder beside it')
    .option(
      '--exact',
      'with --in-place, as it was and nothing else: what has changed is replaced, and what did not exist then moves to a folder ' +
        'beside; excluded files are left alone',
    )
    .addOption(
      new Option(
        '--conflict <choice>',
        'what to do with files that already exist; without it the restore stops before it writes',
      ).choices(['skip', 'overwrite', 'keep-both']),
    )
    .option(
      '--choices <file>',
      'exceptions from --conflict: a choice and a path on each line; a folder stands for everything in it, and the deepest path decides',
    )
    .option(
      '--accept-unverified',
      'restore also what nothing proves: a backup whose own list of files is missing or unreadable; existing files stay',
    )
    .option('--dry-run', 'show what would happen; nothing is written')
    .addOption(destinationOption(NEAREST))
    .addOption(deviceOption())
    .addOption(limitOption('upload'))
    .addOption(limitOption('download'))
    .addHelpText('after', HELP_END)
    .action((name: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      return run(options, async (context) => {
        const to = await targetOf(options);
        const { pointInTime } = await import('../../../agent/input/point-in-time.ts');
        const { readChoices } = await import('../../../agent/input/choices-file.ts');
        const choices = options.choices === undefined ? [] : readChoices(options.choices);
        const at = await pointInTime(options.at, Date.now());
        const { agent, reference, destination } = await locatedSet(name, options, context);
        const progress = await context.progress();
        const report = await agent.restore(
          {
            ...options,
            ...reference,
            ...(destination === undefined ? {} : { destination }),
            at,
            paths: options.path,
            choices,
            to,
          },
          { signal: context.signal, onProgress: (state) => progress.show(state), untilReported: context.untilReported },
        );
        progress.end();
        return restoreOutcome({ name, to, dryRun: options.dryRun === true }, report);
      });
    });
}

/** Returns `null` for the original places. */
async function targetOf({ to, inPlace, exact, conflict, choices }: Options): Promise<string | null> {
  const hasOther = (conflict ?? 'overwrite') !== 'overwrite' || choices !== undefined;
  if (exact === true && (inPlace !== true || hasOther)) {
    const { wrongUsage } = await import('../../../base/errors/errors.ts');
    const message =
      'Use --exact together with --in-place, without --conflict and --choices: what has changed is replaced and kept.';
    throw wrongUsage({ problem: 'options', message });
  }
  if (inPlace === true && to === undefined) return null;
  if (inPlace !== true && to !== undefined && to !== '') return to;
  const { wrongUsage } = await import('../../../base/errors/errors.ts');
  const message =
    inPlace === true
      ? 'Specify either --to DIR or --in-place, not both.'
      : 'Specify where to restore to: --to DIR, or --in-place to put everything back where it was.';
  throw wrongUsage({ problem: 'options', message });
}
