import { Command } from 'commander';
import type { RestorePoint } from '../../protocol/extensions.ts';
import { outcome } from '../outcome.ts';
import type { CommandContext, GlobalOptions, Run } from '../runner.ts';
import { alignColumns } from '../columns.ts';
import { figureText, sizeText, timeText } from '../text.ts';
import { destinationOption, deviceOption, NEAREST, TIME_HELP } from './arguments.ts';
import { confirmed } from '../confirmation.ts';

interface Options extends GlobalOptions {
  readonly device?: string;
  readonly destination?: string;
}

export function pointsCommand(run: Run): Command {
  const points = listCommand(run, 'points').summary('list restore points');
  // Lists a set whose name equals one of these commands.
  points.addCommand(listCommand(run, 'list'));
  points.addCommand(changeCommand(run, 'pin', 'Keeps a restore point whatever the policy says.'));
  points.addCommand(changeCommand(run, 'unpin', 'Applies the policy to a restore point again.'));
  points.addCommand(
    changeCommand(run, 'remove', 'Removes one restore point permanently.').option('--yes', 'skip the confirmation'),
  );
  return points;
}

function changeCommand(run: Run, action: 'pin' | 'unpin' | 'remove', description: string): Command {
  return new Command(action)
    .description(description)
    .argument('<name>', 'the backup set')
    .argument('<time>', `the restore point: ${TIME_HELP}`)
    .addOption(destinationOption('needed if there are several'))
    .addOption(deviceOption())
    .action((set: string, time: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options & { readonly yes?: true }>();
      return run(options, async (context) => {
        const [{ pointInTime }, { changePoint, unchanged }] = await Promise.all([
          import('../../agent/input/point-in-time.ts'),
          import('./sets/retention.ts'),
        ]);
        await requireChoice(options, context);
        const at = await pointInTime(time, Date.now());
        const question = `Remove the restore point of ${set} at ${time} permanently`;
        if (action === 'remove' && !(await confirmed(question, options.yes === true, context))) return unchanged();
        return changePoint(context, set, options, { action, at });
      });
    });
}

/** The same time may mean another restore point at each destination. */
async function requireChoice({ destination }: Options, context: CommandContext): Promise<void> {
  if (destination !== undefined) return;
  const { others = [] } = (await context.agent()).settings() ?? {};
  if (others.length === 0) return;
  const { wrongUsage } = await import('../../base/errors.ts');
  throw wrongUsage({
    problem: 'options',
    message: 'There are several destinations: choose one with --destination NAME.',
  });
}

function listCommand(run: Run, name: 'points' | 'list'): Command {
  return new Command(name)
    .description("Lists a set's restore points, newest first. The first column is what --at takes.")
    .argument('<name>', 'the backup set')
    .addOption(destinationOption(NEAREST))
    .addOption(deviceOption())
    .action((set: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      return run(options, async (context) => {
        const agent = await context.agent(options.destination);
        const points = await agent.points({ set, ...options }, context.signal);
        return outcome({ points: points.map(pointJson) }, pointLines(set, points));
      });
    });
}

function pointJson({ restore_point, backup_id, files, bytes }: RestorePoint): object {
  return { restore_point, backup_id, files, bytes };
}

function pointLines(name: string, points: readonly RestorePoint[]): readonly string[] {
  if (points.length === 0) return [`${name} has no restore point yet.`];
  const rows = points.map(({ restore_point: time, files, bytes }) => [
    time,
    timeText(time),
    figureText(files),
    sizeText(bytes),
  ]);
  return alignColumns([['RESTORE POINT', 'LOCAL TIME', 'FILES', 'SIZE'], ...rows], [2, 3]);
}
