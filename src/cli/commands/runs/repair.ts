import { Command } from 'commander';
import type { RepairReport } from '../../../agent/operations/check.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import type { Run } from '../../runner.ts';
import { countText } from '../../text.ts';
import { readDataOf, withReadData, type ReadDataOptions } from './check.ts';
import { checkedText, checkJson, findingLines, pointJson, pointText } from './check-text.ts';

export function repairCommand(run: Run): Command {
  return withReadData(
    new Command('repair')
      .summary('repair a damaged destination')
      .description(
        'Checks the destination, mends damaged files by parity if there is any, lists what is left anew and moves other ' +
          'damaged files to its folder "damaged". ' +
          'Restore points that were listed nowhere come back. Names what is lost. A backup of a computer that still has ' +
          'the lost files stores them again.',
      )
      .option(
        '--unproven',
        'bring back restore points that only a replaced key proves, too: a computer that was removed may have made them up',
      ),
  ).action((_options: unknown, command: Command) => {
    const options = command.optsWithGlobals<ReadDataOptions & { readonly unproven?: true }>();
    return run(options, async (context) => {
      const request = { ...readDataOf(options), takesUnproven: options.unproven };
      const agent = await context.agent(options.destination);
      const progress = await context.progress();
      const report = await agent.repair(request, {
        signal: context.signal,
        onProgress: (state) => progress.show(state),
      });
      progress.end();
      return repairOutcome(report);
    });
  });
}

function headline({ before, after, files, secondCopies, recoveredPoints }: RepairReport, isSound: boolean): string {
  const isUnchanged =
    before.findingsTotal === 0 &&
    files.length === 0 &&
    before.isProjectionSound &&
    secondCopies === 0 &&
    recoveredPoints.length === 0;
  if (isSound) return isUnchanged ? 'Nothing needed repair.' : 'The destination was repaired.';
  if (after.findingsTotal === 0) {
    return isUnchanged
      ? 'No file of the destination is damaged, but something is lost.'
      : 'The destination was repaired, but something is lost.';
  }
  return 'The destination was repaired as far as possible, and is still damaged.';
}

function repairOutcome(report: RepairReport): Outcome {
  const { before, after, files, secondCopies, recoveredPoints, unprovenPoints, lostPoints, mayIncludeRemoved } = report;
  const isSound = after.findingsTotal === 0 && after.lossesTotal === 0 && lostPoints.length === 0;
  const moved = files.filter(({ outcome: result }) => result === 'moved').length;
  const kept = files.filter(({ outcome: result }) => result === 'kept').length;
  const mended = files.filter(({ outcome: result }) => result === 'mended').length;
  const renewed = files.filter(({ outcome: result }) => result === 'renewed').length;
  const shown = files.filter(({ outcome: result }) => result === 'shown').length;
  const lines = [
    headline(report, isSound),
    `Now there are ${checkedText(after)}.`,
    ...(files.some(({ outcome: result }) => result === 'written')
      ? ['holdfast.json and its copy were written again.']
      : []),
    ...(mended > 0
      ? [`${countText(mended, 'damaged file has', 'damaged files have')} all bytes again, by parity.`]
      : []),
    ...(shown > 0
      ? [`${countText(shown, 'file is', 'files are')} there again that somebody had deleted or replaced in the bucket.`]
      : []),
    ...(renewed > 0 ? [`The parity of ${countText(renewed, 'file')} was written again.`] : []),
    ...(moved > 0
      ? [`${countText(moved, 'damaged file was', 'damaged files were')} moved to the folder "damaged".`]
      : []),
    ...(kept > 0 ? [`${countText(kept, 'damaged file')} cannot be deleted there, and is ignored from now on.`] : []),
    ...(secondCopies > 0
      ? [
          `${countText(secondCopies, 'part of the lists of files stands', 'parts of the lists of files stand')} in two packs again.`,
        ]
      : []),
    ...recoveredPoints.map((point) => `The restore point ${pointText(point)} is back.`),
    ...unprovenPoints.map(
      (point) =>
        `The restore point ${pointText(point)} was found, but only a key proves it that was replaced since. It is not listed.`,
    ),
    ...(unprovenPoints.length > 0
      ? ['If no computer was removed that might have made these up: holdfast repair --unproven']
      : []),
    ...lostPoints.map((point) => `The restore point ${pointText(point)} is lost.`),
    ...(mayIncludeRemoved ? ['Restore points that were removed may be among these.'] : []),
    ...(after.lossesTotal > 0 || lostPoints.length > 0
      ? ['Back up the computers that still have the lost files.']
      : []),
  ];
  const value = {
    before: checkJson(before),
    after: checkJson(after),
    files,
    adopted_packs: report.adoptedPacks,
    rescued_chunks: report.rescuedChunks,
    second_copies: report.secondCopies,
    restated_facts: report.restatedFacts,
    recovered_points: recoveredPoints.map((point) => Object.assign(pointJson(point), { files: point.files })),
    unproven_points: unprovenPoints.map(pointJson),
    lost_points: lostPoints.map(pointJson),
    may_include_removed: mayIncludeRemoved,
  };
  return outcome(value, lines, { exitCode: isSound ? 0 : 1, warnings: findingLines(after) });
}
