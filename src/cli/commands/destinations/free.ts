import { Command } from 'commander';
import type { FreePlan, FreeReport, LaterSpace } from '../../../agent/operations/free.ts';
import { confirmed } from '../../confirmation.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import type { GlobalOptions, Run } from '../../runner.ts';
import { sizeText, timeText } from '../../text.ts';
import { destinationOption } from '../arguments.ts';
import { requireChoice } from '../require-choice.ts';
import { unchanged } from '../sets/retention.ts';
import { KEEPS_DELETED } from '../sets/retention-outcome.ts';

interface FreeCommandOptions extends GlobalOptions {
  readonly destination?: string;
  readonly dryRun?: true;
  readonly yes?: true;
}

const HELP = `
What nobody needs is what only removed restore points had, and what interrupted backups and killed programs left
behind. Usually it is freed days later, since other computers may count on it until then. Where this computer
is the only one that ever wrote, it is freed at once, after you have confirmed that no other one is being set up.

Example:
  holdfast points remove documents 2026-11-21T14:05:00Z
  holdfast free`;

export function freeCommand(run: Run): Command {
  return new Command('free')
    .summary('free space at a destination')
    .description('Frees now what nobody needs at a destination, also at one that is full.')
    .addOption(destinationOption('needed if there are several'))
    .option('--dry-run', 'only show what would be freed')
    .option('--yes', 'skip the confirmation')
    .addHelpText('after', HELP)
    .action((_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<FreeCommandOptions>();
      return run(options, async (context) => {
        await requireChoice(options.destination, context);
        const agent = await context.agent(options.destination);
        const { name = '' } = agent.settings() ?? {};
        const plan = await agent.planFreeing({}, context);
        if (options.dryRun === true) return planOutcome(name, plan);
        const question = `${reasons(name, plan)}Free about ${sizeText(plan.nowBytes)} at ${name} now`;
        const isConfirmed = options.yes === true || (plan.nowBytes > 0 && (await confirmed(question, false, context)));
        if (plan.nowBytes > 0 && !isConfirmed) return unchanged();
        return reportOutcome(name, await agent.freeSpace({ waivesDays: isConfirmed }, context));
      });
    });
}

/** What a person has to know before they agree. */
function reasons(name: string, { isSole, interruptedBytes, keepsDeleted }: FreePlan): string {
  const sentences: string[] = keepsDeleted ? [KEEPS_DELETED] : [];
  if (isSole) {
    sentences.push(
      `This computer is the only one that ever wrote to ${name}, so nothing waits the usual three days for others.`,
      'If another computer is being set up there at this moment, let its first backup finish before.',
    );
  }
  if (interruptedBytes > 0) {
    sentences.push(
      `${sizeText(interruptedBytes)} of it were stored by a backup that was interrupted: the next one begins anew.`,
    );
  }
  return sentences.map((sentence) => `${sentence}\n`).join('');
}

function planOutcome(name: string, plan: FreePlan): Outcome {
  const { nowBytes, interruptedBytes, keepsDeleted, stoppedBy } = plan;
  return outcome(
    {
      destination: name,
      now_bytes: keepsDeleted ? 0 : nowBytes,
      kept_bytes: keepsDeleted ? nowBytes : 0,
      interrupted_bytes: interruptedBytes,
      ...sharedJson(plan),
    },
    [
      `About ${sizeText(nowBytes)} at ${name} can be ${keepsDeleted ? 'deleted' : 'freed'} now.`,
      ...reserveLines(plan),
      ...laterLines(plan),
      ...(keepsDeleted ? [KEEPS_DELETED] : []),
      ...stoppedLines(stoppedBy),
    ],
    { exitCode: exitCodeOf(plan) },
  );
}

function reportOutcome(name: string, report: FreeReport): Outcome {
  const { freedBytes, keptBytes, isFull, later, stoppedBy } = report;
  const isNothing = freedBytes === 0 && keptBytes === 0 && later.length === 0 && !isFull && stoppedBy === undefined;
  const lines = [
    freedBytes > 0 ? `Freed ${sizeText(freedBytes)} at ${name}.` : `Nothing at ${name} could be freed now.`,
    ...reserveLines(report),
    ...keptLines(name, report),
    ...laterLines(report),
    ...stoppedLines(stoppedBy),
  ];
  if (isFull)
    lines.push('More would be freed with a little more room: delete something else there, and run this again.');
  if (isNothing) {
    lines.push(
      'Everything there is needed by a restore point. To need less, remove some: holdfast points remove NAME TIME',
    );
  }
  return outcome(
    { destination: name, freed_bytes: freedBytes, kept_bytes: keptBytes, is_full: isFull, ...sharedJson(report) },
    lines,
    {
      exitCode: isFull || keptBytes > 0 ? 3 : exitCodeOf(report),
    },
  );
}

function keptLines(name: string, { keptBytes, keepsDeleted, later }: FreeReport): readonly string[] {
  if (keepsDeleted && keptBytes > 0)
    return [`${name} still has ${sizeText(keptBytes)} that were deleted.`, KEEPS_DELETED];
  if (keptBytes === 0) return keepsDeleted && later.length > 0 ? [KEEPS_DELETED] : [];
  return [
    `${name} still has ${sizeText(keptBytes)} that were deleted: it answered as if they were gone. Look whether it protects files from deletion.`,
  ];
}

type Shared = Pick<FreePlan, 'isSole' | 'others' | 'reserveBytes' | 'later' | 'keepsDeleted' | 'stoppedBy'>;

function exitCodeOf({ stoppedBy }: Shared): 0 | 1 | 3 {
  if (stoppedBy === undefined) return 0;
  return stoppedBy === 'loss' ? 3 : 1;
}

function sharedJson({ isSole, others, reserveBytes, later, keepsDeleted, stoppedBy }: Shared): object {
  return {
    keeps_deleted: keepsDeleted,
    reserve_bytes: reserveBytes,
    sole_writer: isSole,
    other_computers: others,
    later: later.map(({ at, bytes, because, waitsFor }) => ({
      at: new Date(at).toISOString(),
      bytes,
      because,
      waits_for: waitsFor,
    })),
    stopped_by: stoppedBy ?? null,
  };
}

function reserveLines({ reserveBytes }: Shared): readonly string[] {
  if (reserveBytes === 0) return [];
  return [`${sizeText(reserveBytes)} beside that are set aside again, for the next time that there is no room.`];
}

/** Says what is freed later. Times are those of the store. @param now by this computer's clock, in milliseconds since the epoch */
export function laterLines(
  { later, others, isSole }: Pick<Shared, 'later' | 'others' | 'isSole'>,
  now = Date.now(),
): readonly string[] {
  const lines = later.map((space) => laterLine(space, others, isSole));
  if (later.some(({ at, waitsFor }) => at < now && waitsFor.length === 0)) {
    lines.push("That time has passed by this computer's clock: the clock of the destination is behind it. Check both.");
  }
  return lines;
}

function laterLine({ at, bytes, because, waitsFor }: LaterSpace, others: readonly string[], isSole: boolean): string {
  const size = `About ${sizeText(bytes)}`;
  const date = timeText(at);
  if (because === 'locked') return `${size} can be freed on ${date}: until then the bucket refuses to delete it.`;
  if (waitsFor.length > 0) {
    const have = waitsFor.length === 1 ? 'has' : 'have';
    return `${size} will be freed after ${date}, once ${listed(waitsFor, 'conjunction')} ${have} backed up there again.`;
  }
  if (isSole) return `${size} will be freed after ${date}.`;
  const who = others.length > 0 ? listed(others, 'disjunction') : 'another computer that is being set up';
  return `${size} will be freed after ${date}: until then ${who} may count on it.`;
}

function listed(names: readonly string[], type: 'conjunction' | 'disjunction'): string {
  return new Intl.ListFormat('en', { type }).format(names);
}

function stoppedLines(stoppedBy: FreePlan['stoppedBy']): readonly string[] {
  switch (stoppedBy) {
    case undefined:
      return [];
    case 'damage':
      return ['Nothing is freed while files there are damaged or missing. Look at it with: holdfast check'];
    case 'alarm':
      return [
        'Nothing is freed since a backup showed signs of ransomware. Look at it, then run: holdfast retention release NAME',
      ];
    case 'loss':
      return [
        'Files there were lost less than a month ago and may come back, so what removed restore points had stays until then.',
      ];
  }
}
