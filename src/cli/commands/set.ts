import { Command } from 'commander';
import type { ConfiguredSet } from '../../agent/home/settings.ts';
import type { AddedSet } from '../../agent/sets/set-store.ts';
import { outcome, type Outcome } from '../outcome.ts';
import type { GlobalOptions, Run } from '../runner.ts';
import { alignColumns, countText, printable } from '../text.ts';
import { collected } from './arguments.ts';

interface AddOptions extends GlobalOptions {
  readonly exclude: readonly string[];
  readonly preset: readonly string[];
  readonly presets: boolean;
  readonly schedule?: string;
  readonly oneFileSystem?: boolean;
  readonly privateNames?: boolean;
}

export function setCommand(run: Run): Command {
  const set = new Command('set').description('The backup sets of this home: what is backed up together, under a name.');
  set.addCommand(addCommand(run));
  set
    .command('list')
    .description('Lists the backup sets.')
    .action((_options: unknown, command: Command) =>
      run(command.optsWithGlobals<GlobalOptions>(), async (context) => {
        const sets = (await context.agent()).sets();
        return outcome({ sets: sets.map(setJson) }, listLines(sets));
      }),
    );
  set
    .command('show')
    .description('Shows one backup set.')
    .argument('<name>')
    .action((name: string, _options: unknown, command: Command) =>
      run(command.optsWithGlobals<GlobalOptions>(), async (context) => {
        const shown = (await context.agent()).set(name);
        return outcome(setJson(shown), setLines(shown));
      }),
    );
  set
    .command('remove')
    .description('Forgets a backup set. Its restore points stay where they are and can still be restored.')
    .argument('<name>')
    .action((name: string, _options: unknown, command: Command) =>
      run(command.optsWithGlobals<GlobalOptions>(), async (context) => {
        (await context.agent()).removeSet(name);
        return outcome({ removed: name }, [
          `Removed ${printable(name)}. Its restore points stay at the destination and can still be restored by this name.`,
        ]);
      }),
    );
  return set;
}

function addCommand(run: Run): Command {
  return new Command('add')
    .description('Adds a backup set. Holdfast never backs up its own home or destination, even where they lie within.')
    .argument('<name>')
    .argument('<path...>', 'folders and files')
    .option(
      '--exclude <glob>',
      'leave out what matches, in gitignore syntax; may be given several times',
      collected,
      [],
    )
    .option('--preset <name>', "a list of well-known caches and the like, in place of this system's own", collected, [])
    .option('--no-presets', 'no such list at all')
    .option('--schedule <spec>', '"hourly", "every 4 hours", "daily 18:30" …; kept for the app, which runs schedules')
    .option('--one-file-system', 'do not go into other disks that are mounted within')
    .option('--private-names', 'hide names from the service as well')
    .addHelpText('after', "\nExample:\n  holdfast set add documents ~/Documents ~/Pictures --exclude '*.tmp'")
    .action((name: string, paths: string[], _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<AddOptions>();
      return run(options, async (context) => {
        const { exclude, preset, schedule } = options;
        const presets = options.presets ? (preset.length > 0 ? preset : undefined) : [];
        const added = (await context.agent()).addSet({
          name,
          paths,
          excludes: exclude,
          oneFileSystem: options.oneFileSystem === true,
          privateNames: options.privateNames === true,
          ...(presets === undefined ? {} : { presets }),
          ...(schedule === undefined ? {} : { schedule }),
        });
        return addedOutcome(added);
      });
    });
}

function addedOutcome({ set, passedOver }: AddedSet): Outcome {
  return outcome({ ...setJson(set), passed_over: passedOver }, [
    `Added ${printable(set.name)} with ${countText(set.roots.length, 'path')}.`,
    ...passedOver.map((folder) => `${folder} is Holdfast's own and will be passed over.`),
    '',
    `Next: holdfast backup ${printable(set.name)}`,
  ]);
}

function setJson(set: ConfiguredSet): object {
  return {
    name: set.name,
    paths: set.roots,
    excludes: set.excludes,
    presets: set.presets,
    one_file_system: set.oneFileSystem,
    private_names: set.privateNames,
    schedule: set.schedule ?? null,
  };
}

function listLines(sets: readonly ConfiguredSet[]): readonly string[] {
  if (sets.length === 0) return ['There is no backup set yet. Make one with: holdfast set add NAME PATH...'];
  const rows = sets.map(({ name, roots, schedule }) => [
    printable(name),
    schedule ?? 'manual',
    roots.map(printable).join(', '),
  ]);
  return alignColumns([['NAME', 'SCHEDULE', 'PATHS'], ...rows]);
}

function setLines(set: ConfiguredSet): string[] {
  const list = (values: readonly string[]): string => (values.length === 0 ? 'none' : values.map(printable).join(', '));
  return alignColumns([
    ['Name', printable(set.name)],
    ['Paths', list(set.roots)],
    ['Left out', list(set.excludes)],
    ['Presets', list(set.presets)],
    ['Other file systems', set.oneFileSystem ? 'passed over' : 'included'],
    ['Names', set.privateNames ? 'hidden from the service' : 'visible to the service'],
    ['Schedule', set.schedule ?? 'manual'],
  ]);
}
