import { Command } from 'commander';
import type { RestorePoint } from '../../protocol/extensions.ts';
import { timeOfPoint } from '../../base/point-time.ts';
import type { PointsAt } from '../../agent/operations/points.ts';
import { outcome, type Outcome } from '../outcome.ts';
import type { GlobalOptions, Run } from '../runner.ts';
import { alignColumns } from '../columns.ts';
import { figureText, printable, sizeText, timeText } from '../text.ts';
import { destinationOption, deviceOption, TIME_HELP } from './arguments.ts';
import { locatedSet } from './located-set.ts';
import { requireChoice } from './require-choice.ts';
import { confirmed } from '../confirmation.ts';
import type { RestoreTime } from '../../model/restore-request.ts';

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
    changeCommand(run, 'remove', 'Removes one restore point permanently.').option(
      '--yes',
      'skip the confirmation; needs a time as it is listed, so that the same command again removes no other restore point',
    ),
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
        const [{ pointInTime }, { changePoint, foundPoint, unchanged }] = await Promise.all([
          import('../../agent/input/point-in-time.ts'),
          import('./sets/retention.ts'),
        ]);
        // The same time may mean another restore point at each destination.
        await requireChoice(options.destination, context);
        const at = await pointInTime(time, Date.now());
        if (action !== 'remove') return changePoint(context, set, options, { action, at });
        const restorePoint = options.yes === true ? await exactly(at) : await foundPoint(context, set, options, at);
        const question = `Remove the restore point of ${set} at ${restorePoint} permanently`;
        if (!(await confirmed(question, options.yes === true, context))) return unchanged();
        return changePoint(context, set, options, { action, restorePoint });
      });
    });
}

/** Nobody is asked whether it is the right one, and a command that is run again may not remove the one before it. */
async function exactly(at: RestoreTime): Promise<string> {
  if (at !== 'latest') return new Date(at).toISOString();
  const { wrongUsage } = await import('../../base/errors/errors.ts');
  throw wrongUsage({
    problem: 'options',
    message: 'With --yes, enter the time of the restore point as "holdfast points" lists it.',
  });
}

function listCommand(run: Run, name: 'points' | 'list'): Command {
  return new Command(name)
    .description("Lists a set's restore points, newest first. The first column is what --at takes.")
    .argument('<name>', 'the backup set')
    .addOption(destinationOption('all by default'))
    .addOption(deviceOption())
    .action((set: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      return run(options, async (context) => {
        const { agent, reference, destination } = await locatedSet(set, options, context);
        const { others = [] } = agent.settings() ?? {};
        if (destination === undefined && others.length > 0) {
          return everywhere(set, await agent.pointsEverywhere(reference, context));
        }
        const points = await agent.points(reference, context);
        return outcome({ points: points.map(pointJson) }, pointLines(set, points));
      });
    });
}

/** A restore point, and the names of the destinations that have it. */
interface PlacedPoint {
  readonly point: RestorePoint;
  readonly destinations: readonly string[];
}

/** A copy keeps the time of its original, so it is the same restore point. */
function placedPoints(found: readonly PointsAt[]): readonly PlacedPoint[] {
  const all = found.flatMap(({ entry, points }) => points.map((point) => ({ point, name: entry.name })));
  const byContent = Map.groupBy(all, ({ point: { restore_point: time, files, bytes } }) => `${time} ${files} ${bytes}`);
  return Array.from(byContent.values(), (same) => ({
    point: same[0]!.point,
    destinations: same.map(({ name }) => name),
  })).toSorted((a, b) => Date.parse(b.point.restore_point) - Date.parse(a.point.restore_point));
}

function everywhere(set: string, found: readonly PointsAt[]): Outcome {
  const placed = placedPoints(found);
  const failed = found.flatMap(({ entry: { id, name }, failure }) =>
    failure ? [{ id, name, error: failure.code }] : [],
  );
  const value = {
    points: placed.map(({ point, destinations }) => ({ ...pointJson(point), destinations })),
    ...(failed.length === 0 ? {} : { unavailable: failed }),
  };
  // One that is away is named, and the others are complete.
  const warnings = failed.map(({ name, error }) => `${name} could not be listed (${error}).`);
  return outcome(value, placedLines(set, placed), { warnings });
}

function placedLines(name: string, placed: readonly PlacedPoint[]): readonly string[] {
  if (placed.length === 0) return [`No restore point of ${printable(name)} is listed.`];
  const rows = placed.map(({ point, destinations }) => [...pointRow(point), destinations.join(', ')]);
  return alignColumns([[...HEADINGS, 'DESTINATION'], ...rows], [2, 3]);
}

const HEADINGS = ['RESTORE POINT', 'LOCAL TIME', 'FILES', 'SIZE'];

function pointRow(point: RestorePoint): string[] {
  return [point.restore_point, timeText(timeOfPoint(point)), figureText(point.files), sizeText(point.bytes)];
}

function pointJson({ restore_point, completed_at, backup_id, files, bytes }: RestorePoint): object {
  return { restore_point, ...(completed_at === undefined ? {} : { completed_at }), backup_id, files, bytes };
}

function pointLines(name: string, points: readonly RestorePoint[]): readonly string[] {
  if (points.length === 0) return [`No restore point of ${printable(name)} is listed.`];
  return alignColumns([HEADINGS, ...points.map(pointRow)], [2, 3]);
}
