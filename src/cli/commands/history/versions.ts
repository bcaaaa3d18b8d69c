import { Command } from 'commander';
import type { FoundPathVersion } from '../../../agent/operations/history/found-paths.ts';
import { alignColumns } from '../../columns.ts';
import { outcome } from '../../outcome.ts';
import type { Run } from '../../runner.ts';
import { figureText, timeText } from '../../text.ts';
import { askHistory, reported, restOf, spanJson, withHistoryOptions, type HistoryOptions } from './history-command.ts';

export function versionsCommand(run: Run): Command {
  const command = new Command('versions')
    .summary('list the versions of a file')
    .description(
      'Lists the versions of a file in all restore points of a set, newest first. --at takes a time of the third column.',
    )
    .argument('<name>', 'the backup set')
    .argument('<path>', 'the file, as ls shows it');
  return withHistoryOptions(command)
    .addHelpText('after', '\nExample:\n  holdfast versions documents ~/Documents/letter.odt')
    .action((name: string, path: string, _options: unknown, self: Command) => {
      const options = self.optsWithGlobals<HistoryOptions>();
      return run(options, async (context) => {
        const [{ givenEntryPath }, { ownRoots }, { HoldfastError }] = await Promise.all([
          import('../../../agent/input/entry-path.ts'),
          import('../../../agent/home/settings.ts'),
          import('../../../base/errors/errors.ts'),
        ]);
        const wanted = givenEntryPath(path, ownRoots(context.home, { set: name, device: options.device }));
        const asked = await askHistory(name, options, context);
        const versions = asked.answers.versions(asked.reference, wanted).toReversed();
        if (versions.length === 0 && !asked.answers.isLost) throw new HoldfastError('path_not_found', { path: wanted });
        const value = restOf(asked, { versions: versions.map(versionJson) });
        return reported(asked, outcome(value, versions.length === 0 ? [] : versionLines(versions)));
      });
    });
}

function versionJson({ kind, size, modified, content, ...span }: FoundPathVersion): object {
  return { ...spanJson(span), type: kind, size, modified: new Date(modified).toISOString(), content };
}

function versionLines(versions: readonly FoundPathVersion[]): readonly string[] {
  const rows = versions.map(({ to, madeFrom, madeTo, kind, size, modified }) => [
    timeText(madeFrom),
    timeText(madeTo),
    new Date(to).toISOString(),
    kind === 'file' ? figureText(size) : kind,
    timeText(modified),
  ]);
  return alignColumns([['FIRST BACKED UP', 'LAST BACKED UP', 'LAST RESTORE POINT', 'SIZE', 'MODIFIED'], ...rows], [3]);
}
