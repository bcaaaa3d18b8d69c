import type { Command } from 'commander';
import type { Agent } from '../../../agent/agent.ts';
import type { SetReference } from '../../../agent/context/set-source.ts';
import type { DatedSpan } from '../../../agent/operations/history/dated-span.ts';
import type { Completeness } from '../../../agent/operations/history/history-answers.ts';
import type { OpenedHistory } from '../../../agent/operations/history/open-history.ts';
import type { Outcome } from '../../outcome.ts';
import type { CommandContext, GlobalOptions } from '../../runner.ts';
import { countText, printable } from '../../text.ts';
import { destinationOption, deviceOption } from '../arguments.ts';
import { locatedSet } from '../located-set.ts';

export interface HistoryOptions extends GlobalOptions {
  readonly device?: string;
  readonly destination?: string;
  readonly local?: boolean;
}

/** Adds the options that all questions about the history have. */
export function withHistoryOptions(command: Command): Command {
  return command
    .addOption(destinationOption('all by default'))
    .addOption(deviceOption())
    .option('--local', 'use only what this computer knows, and ask no destination');
}

/** The history of a set, and what is missing in its answers so far: damage may be found by any of them. */
export interface AskedHistory extends OpenedHistory {
  readonly incomplete: object | undefined;
  readonly warnings: readonly string[];
}

/** Opens the history of a set until the outcome is reported, and says on stderr how many restore points it has to read. */
export async function askHistory(set: string, options: HistoryOptions, context: CommandContext): Promise<AskedHistory> {
  const { local = false } = options;
  const { agent, reference: wanted } = local
    ? await unasked(set, options, context)
    : await locatedSet(set, options, context);
  const told = new Set<string>();
  const opened = await agent.openHistory(
    { ...wanted, isLocal: local, retriesDamaged: true },
    {
      signal: context.signal,
      onProgress: ({ id, name }, { known, total }) => {
        const missing = total - known;
        if (told.has(id) || missing < WORTH_TELLING) return;
        told.add(id);
        context.output.note(`Reading ${countText(missing, 'restore point')} at ${printable(name)} for the first time.`);
      },
    },
  );
  context.untilReported.use(opened);
  const { answers, reference } = opened;
  const { incomplete, warnings } = missingIn(opened, answers.completeness(reference));
  return {
    ...opened,
    get incomplete() {
      return answers.isLost ? { unavailable: [], damaged: [], unread: 0, ...incomplete, lost: true } : incomplete;
    },
    get warnings() {
      return answers.isLost ? [...warnings, LOST] : warnings;
    },
  };
}

/** Without asking a destination, only the history can tell whose set it is. */
async function unasked(
  set: string,
  { device, destination }: HistoryOptions,
  context: CommandContext,
): Promise<{ readonly agent: Agent; readonly reference: SetReference }> {
  return { agent: await context.agent(destination), reference: { set, ...(device === undefined ? {} : { device }) } };
}

const LOST =
  'The history of files is missing or damaged, so this answer is incomplete. Run the command without --local to rebuild it.';

/** Restore points that are read in a few seconds. */
const WORTH_TELLING = 20;

function missingIn(
  { failed }: OpenedHistory,
  { known, total, damaged }: Completeness,
): Pick<AskedHistory, 'incomplete' | 'warnings'> {
  const unread = total - known - damaged.length;
  if (unread === 0 && failed.length === 0 && damaged.length === 0) return { incomplete: undefined, warnings: [] };
  const warnings = [
    ...failed.map(({ entry, failure }) =>
      failure.code === 'home_busy'
        ? `Another program is filling the history of files, so ${entry.name} was not asked; this answer uses what was known before.`
        : `${entry.name} could not be asked (${failure.code}); this answer uses what was known before.`,
    ),
    ...damaged.map(
      ({ time, problem }) =>
        `The restore point ${new Date(time).toISOString()} cannot be read (${problem}); see: holdfast check`,
    ),
    ...(unread > 0 ? [`${countText(unread, 'restore point')} of ${total} have not been read yet.`] : []),
  ];
  const incomplete = {
    unavailable: failed.map(({ entry: { id, name }, failure }) => ({ id, name, error: failure.code })),
    damaged: damaged.map(({ time, problem }) => ({ restore_point: new Date(time).toISOString(), error: problem })),
    unread,
  };
  return { incomplete, warnings };
}

/** The restore points that have something: `from_completed_at` and `to_completed_at` say when they were made if their own times do not. */
export function spanJson({ from, to, madeFrom, madeTo }: DatedSpan): object {
  return {
    from: new Date(from).toISOString(),
    ...(madeFrom === from ? {} : { from_completed_at: new Date(madeFrom).toISOString() }),
    to: new Date(to).toISOString(),
    ...(madeTo === to ? {} : { to_completed_at: new Date(madeTo).toISOString() }),
  };
}

/** Returns what an answer that is a list has besides it. Read when the list is complete. */
export function restOf(asked: AskedHistory, rest: object = {}): object {
  return {
    ...rest,
    get incomplete() {
      return asked.incomplete;
    },
  };
}

/** Returns the outcome of an answer: with exit code 3 if something is missing in it, as far as it is known when all of it is shown. */
export function reported(asked: AskedHistory, { json, lines }: Pick<Outcome, 'json' | 'lines'>): Outcome {
  return {
    json,
    lines,
    get exitCode() {
      return asked.incomplete ? 3 : 0;
    },
    get warnings() {
      return asked.warnings;
    },
  };
}
