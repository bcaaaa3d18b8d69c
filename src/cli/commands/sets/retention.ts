import { Command, Option } from 'commander';
import type { RetentionChoice } from '../../../agent/operations/retention/retention.ts';
import type { RetainedPoint, RetentionAnswer, RetentionPolicy } from '../../../protocol/retention.ts';
import { confirmed } from '../../confirmation.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import type { CommandContext, GlobalOptions, Run } from '../../runner.ts';
import { alignColumns } from '../../columns.ts';
import { countText, sizeText, timeText } from '../../text.ts';
import { deviceOption, wholeNumber } from '../arguments.ts';

interface Options extends GlobalOptions {
  readonly device?: string;
  readonly yes?: true;
  readonly account?: true;
  readonly days?: number;
  readonly keepAllDays?: number;
  readonly hourly?: number;
  readonly daily?: number;
  readonly weekly?: number;
  readonly monthly?: number;
  readonly yearly?: number;
  readonly timeZone?: string;
  readonly keepEverything?: true;
}

const NOUNS = { hourly: 'hours', daily: 'days', weekly: 'weeks', monthly: 'months', yearly: 'years' } as const;
const PERIODS = Object.keys(NOUNS) as readonly (keyof typeof NOUNS)[];

const EXAMPLES = `
Of each hour, day, week, month and year the newest restore point stays, of so many that have one. Periods count back
from the newest restore point. What goes is gone; its space comes back a day later.

Example:
  holdfast retention set documents --keep-all-days 2 --daily 14 --weekly 8 --monthly 24
  holdfast retention preview documents`;

export function retentionCommand(run: Run): Command {
  const retention = new Command('retention').description(
    'Which restore points stay, and what removing the others frees.',
  );
  const action = (
    name: string,
    description: string,
    perform: (name: string, options: Options, context: CommandContext) => Promise<Outcome>,
  ): Command => {
    const command = new Command(name)
      .description(description)
      .argument('<name>', 'the backup set')
      .addOption(deviceOption());
    command.action((set: string, ...rest: unknown[]) => {
      const options = (rest.at(-1) as Command).optsWithGlobals<Options>();
      return run(options, (context) => perform(set, options, context));
    });
    retention.addCommand(command);
    return command;
  };

  action('show', 'Shows the policy and its effect on each restore point.', (set, options, context) =>
    ask(set, options, context, { action: 'show' }),
  );
  withPolicy(action('set', 'Sets which restore points are kept from now on.', setPolicy)).option(
    '--keep-everything',
    'no policy: all restore points stay',
  );
  withPolicy(
    action('preview', 'Shows what a policy would remove, and what that frees.', (set, options, context) => {
      const policy = policyOf(options);
      return ask(set, options, context, { action: 'preview', ...(policy ? { policy } : {}) });
    }),
  );
  withYes(
    action('apply', 'Removes what the policy does not keep.', async (set, options, context) => {
      if (!(await confirmed(`Remove what the policy of ${set} does not keep`, options.yes === true, context)))
        return unchanged();
      return ask(set, options, context, { action: 'apply' });
    }),
  );
  action(
    'release',
    'Lets restore points be removed again after something that looked like ransomware.',
    (set, options, context) => ask(set, options, context, { action: 'release' }),
  );
  withYes(
    action('lock', 'Keeps every restore point for at least this many days. The period can only be extended.', lock),
  )
    .addOption(
      new Option('--days <n>', 'counted from when it was made')
        .argParser(wholeNumber('a number of days', 1, 36_500))
        .makeOptionMandatory(),
    )
    .option('--account', 'of all sets of the account');
  return retention.addHelpText('after', EXAMPLES);
}

/** Used by `points`. */
export async function changePoint(
  context: CommandContext,
  { set, device }: { readonly set: string; readonly device: string | undefined },
  choice: RetentionChoice,
): Promise<Outcome> {
  return ask(set, device === undefined ? {} : { device }, context, choice);
}

function withPolicy(command: Command): Command {
  const count = wholeNumber('a number of restore points', 0, 100_000);
  command.addOption(
    new Option('--keep-all-days <n>', 'all of the last days').argParser(wholeNumber('a number of days', 0, 36_500)),
  );
  for (const period of PERIODS) {
    command.addOption(new Option(`--${period} <n>`, `the newest of this many ${NOUNS[period]}`).argParser(count));
  }
  return command.option('--time-zone <zone>', "the time zone of days and weeks; this computer's by default");
}

function withYes(command: Command): Command {
  return command.option('--yes', 'skip the confirmation');
}

async function setPolicy(set: string, options: Options, context: CommandContext): Promise<Outcome> {
  const policy = policyOf(options);
  if ((policy === undefined) !== (options.keepEverything === true)) {
    const { wrongUsage } = await import('../../../base/errors.ts');
    throw wrongUsage({ problem: 'retention', message: 'Specify what to keep, like --daily 7, or --keep-everything.' });
  }
  return ask(set, options, context, { action: 'set', policy: policy ?? null });
}

async function lock(set: string, options: Options, context: CommandContext): Promise<Outcome> {
  const minimumDays = options.days ?? 0;
  const what = options.account ? 'every restore point of the account' : `every restore point of ${set}`;
  const question = `Keep ${what} for ${countText(minimumDays, 'day')}, which cannot be undone`;
  if (!(await confirmed(question, options.yes === true, context))) return unchanged();
  return ask(set, options, context, { action: 'lock', scope: options.account ? 'account' : 'set', minimumDays });
}

function policyOf(options: Options): RetentionPolicy | undefined {
  const { keepAllDays = 0, hourly = 0, daily = 0, weekly = 0, monthly = 0, yearly = 0 } = options;
  if (keepAllDays + hourly + daily + weekly + monthly + yearly === 0) return undefined;
  const timeZone = options.timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { keep_all_days: keepAllDays, hourly, daily, weekly, monthly, yearly, time_zone: timeZone };
}

async function ask(
  set: string,
  { device }: Pick<Options, 'device'>,
  context: CommandContext,
  choice: RetentionChoice,
): Promise<Outcome> {
  const agent = await context.agent();
  const reference = { set, ...(device === undefined ? {} : { device }) };
  const answer = await agent.retention(reference, choice, context.signal);
  return outcome(jsonOf(answer), linesOf(set, choice, answer));
}

export function unchanged(): Outcome {
  return outcome({ changed: false }, ['Nothing was changed.'], { exitCode: 1 });
}

function jsonOf({ state, removed, frees }: RetentionAnswer): object {
  return { ...state, removed, frees };
}

function* linesOf(
  set: string,
  { action }: RetentionChoice,
  { state, removed, frees }: RetentionAnswer,
): Generator<string> {
  const { policy, points } = state;
  if (state.held_since !== null) {
    yield `Nothing has been removed since ${timeText(state.held_since)}: a backup looked like ransomware at work.`;
    yield `Look at it, then run: holdfast retention release ${set}`;
    yield '';
  }
  yield policy ? `Stays: ${policyText(policy)}.` : 'There is no policy: all restore points stay.';
  if (state.minimum_days > 0) yield `Every restore point stays for ${countText(state.minimum_days, 'day')} at least.`;
  yield '';
  if (action === 'show' || action === 'preview' || action === 'set') {
    yield* alignColumns([['RESTORE POINT', 'LOCAL TIME', 'STAYS'], ...points.map(pointRow)]);
    yield '';
  }
  if (action === 'set' && policy) {
    yield `Applied once a day from tomorrow on. See what it does with: holdfast retention preview ${set}`;
  }
  if (action === 'preview') yield `${countText(removed, 'restore point')} would go.`;
  if (action === 'apply' || action === 'remove') yield `Removed ${countText(removed, 'restore point')}.`;
  for (const { at, bytes } of frees) yield `Frees ${sizeText(bytes)} on ${timeText(at)}.`;
  if (frees.length > 0) return;
  for (const { at, bytes } of state.freeing)
    yield `${sizeText(bytes)} no longer needed will be freed on ${timeText(at)}.`;
}

function pointRow({
  restore_point: time,
  kept_because: because,
  pinned,
  locked_until: until,
  in_use: used,
}: RetainedPoint) {
  const reasons: string[] = because.filter((reason) => reason !== 'pinned').map((reason) => REASONS[reason]);
  if (pinned) reasons.unshift('pinned');
  if (until !== null) reasons.push(`locked until ${timeText(until)}`);
  if (used) reasons.push('in use');
  return [time, timeText(time), reasons.length === 0 ? 'no' : reasons.join(', ')];
}

const REASONS = {
  newest: 'newest',
  pinned: 'pinned',
  keep_all: 'all',
  hourly: 'hour',
  daily: 'day',
  weekly: 'week',
  monthly: 'month',
  yearly: 'year',
} as const;

function policyText(policy: RetentionPolicy): string {
  const parts = policy.keep_all_days > 0 ? [`all of the last ${countText(policy.keep_all_days, 'day')}`] : [];
  for (const period of PERIODS) {
    const noun = NOUNS[period];
    if (policy[period] > 0) parts.push(`the newest of ${countText(policy[period], noun.slice(0, -1))}`);
  }
  return `${parts.join(', ')} (${policy.time_zone})`;
}
