import { Command } from 'commander';
import type { NotUndone, UndoReport } from '../../../restore/undo/undo-report.ts';
import { alignColumns } from '../../columns.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import type { GlobalOptions, Run } from '../../runner.ts';
import { countText, figureText, printable, timeText } from '../../text.ts';

interface Options extends GlobalOptions {
  readonly dryRun?: boolean;
  readonly giveUp?: boolean;
}

export function undoCommand(run: Run): Command {
  return new Command('undo')
    .summary('undo the last restore to the original place')
    .description(
      'Undoes the last restore with --in-place, for seven days: what it replaced comes back, and what it created moves to a ' +
        'folder beside. Nothing is deleted. What was changed since stays as it is and is named. Called again, it undoes the ' +
        'restore before, and goes on with an undo that was interrupted or could not put back everything.',
    )
    .option('--dry-run', 'show what would happen; nothing is moved')
    .option('--give-up', 'do not try again what cannot be put back now')
    .action((_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      return run(options, async (context) => {
        const agent = await context.agent();
        const dryRun = options.dryRun === true;
        const report = await agent.undoRestore({ dryRun, givesUp: options.giveUp }, { signal: context.signal });
        return undoOutcome(report, dryRun);
      });
    });
}

function undoOutcome(report: UndoReport, dryRun: boolean): Outcome {
  const unnamed = report.notUndoneTotal - report.notUndone.length;
  const warnings = report.notUndone.map((entry) => `${printable(entry.path)} ${reasonText(entry)}`);
  if (unnamed > 0) warnings.push(`and ${figureText(unnamed)} more`);
  return outcome(undoJson(report, dryRun), undoLines(report, dryRun), {
    exitCode: report.notUndoneTotal > 0 ? 3 : 0,
    warnings,
  });
}

function undoJson(report: UndoReport, dryRun: boolean): object {
  return {
    set: report.backupSet,
    restore_point: report.restorePoint,
    restored_at: new Date(report.startedAt).toISOString(),
    put_back: report.putBack,
    moved_aside: report.movedAside,
    moved_to: report.movedTo,
    not_undone: report.notUndone,
    not_undone_total: report.notUndoneTotal,
    ...(dryRun ? { dry_run: true } : {}),
  };
}

function undoLines(report: UndoReport, dryRun: boolean): string[] {
  const of = `the restore of ${printable(report.backupSet)} of ${timeText(report.startedAt)}`;
  const title = dryRun
    ? `This is what undoing ${of} would do; nothing was moved.`
    : report.notUndoneTotal === 0
      ? `Undid ${of}.`
      : `Undid ${of} as far as possible.`;
  const rows = [
    ['Restore point', report.restorePoint],
    [dryRun ? 'To put back' : 'Put back', countText(report.putBack, 'item')],
    [dryRun ? 'To move aside' : 'Moved aside', countText(report.movedAside, 'item')],
  ];
  return [
    title,
    ...alignColumns(rows).map((row) => `  ${row}`),
    ...report.movedTo.map((folder) => `What the restore had created is in ${printable(folder)}.`),
  ];
}

function reasonText({ reason }: NotUndone): string {
  switch (reason) {
    case 'changed':
      return 'was changed since the restore, and stays as it is';
    case 'gone':
      return 'was not put back: its folder "Before restore" does not have the version before. Put it there and call undo again, or add --give-up';
    case 'older':
      return 'is an older version that the restore kept, and stays there';
    case 'attributes':
      return 'keeps its owner, or does not run as its owner or group again';
    case 'unset':
      return 'keeps some of the attributes that the restore gave it: they could not be set; call undo again, or add --give-up';
    case 'invalid':
      return 'stays as it is: the record of the restore is damaged there';
    default:
      return `could not be moved (${reason}); call undo again`;
  }
}
