import { Command } from 'commander';
import type { ConfiguredSet } from '../../../model/set.ts';
import { outcome } from '../../outcome.ts';
import type { GlobalOptions, Run } from '../../runner.ts';
import { alignColumns } from '../../columns.ts';
import { printable } from '../../text.ts';
import { addSetCommand } from './set-add.ts';
import { setHooksCommand } from './set-hooks.ts';
import { conditionsText, drillText, hooksText, limitsText, setJson, verificationText } from './set-shown.ts';

export function setCommand(run: Run): Command {
  const set = new Command('set')
    .summary('add, list, change and remove backup sets')
    .description('The backup sets of this home: what is backed up together, under a name.');
  set.addCommand(addSetCommand(run));
  set.addCommand(setHooksCommand(run));
  set
    .command('list')
    .description('Lists the backup sets.')
    .option('--names', 'only the names, one a line')
    .action((_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { readonly names?: true }>();
      return run(options, async (context) => {
        const sets = await (await context.agent()).sets();
        const lines = options.names ? sets.map(({ name }) => printable(name)) : listLines(sets);
        return outcome({ sets: sets.map(setJson) }, lines);
      });
    });
  set
    .command('show')
    .description('Shows one backup set.')
    .argument('<name>')
    .action((name: string, _options: unknown, command: Command) =>
      run(command.optsWithGlobals<GlobalOptions>(), async (context) => {
        const shown = await (await context.agent()).set({ set: name });
        return outcome(setJson(shown), setLines(shown));
      }),
    );
  set
    .command('remove')
    .description('Removes a backup set from this home. Its restore points are kept and can still be restored.')
    .argument('<name>')
    .action((name: string, _options: unknown, command: Command) =>
      run(command.optsWithGlobals<GlobalOptions>(), async (context) => {
        await (await context.agent()).removeSet({ set: name });
        return outcome({ removed: name }, [
          `Removed ${printable(name)}. Its restore points stay at the destination and can still be restored by this name.`,
        ]);
      }),
    );
  return set;
}

function listLines(sets: readonly ConfiguredSet[]): readonly string[] {
  if (sets.length === 0) return ['There is no backup set yet. Create one with: holdfast set add NAME PATH...'];
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
    ['May be missing', list(set.optionalRoots ?? [])],
    ['Other file systems', set.oneFileSystem ? 'skipped' : 'included'],
    ['Names', set.privateNames ? 'hidden from the service' : 'visible to the service'],
    ['Compression', set.compression ?? 'default'],
    ['Schedule', set.schedule ?? 'manual'],
    ['Conditions', conditionsText(set)],
    ['Limits', limitsText(set)],
    ['Verification', verificationText(set)],
    ['Drill', drillText(set)],
    ['Online-only files', set.onlineFiles === 'fetch' ? 'fetched' : 'skipped'],
    ['Hooks', hooksText(set)],
  ]);
}
