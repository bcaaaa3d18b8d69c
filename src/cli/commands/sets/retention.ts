import { Command, Option } from 'commander';
import type { Agent } from '../../../agent/agent.ts';
import type { SetReference } from '../../../agent/context/set-source.ts';
import type { PolicyChoice, RetentionChoice } from '../../../agent/operations/retention/retention.ts';
import type { RetentionPolicy } from '../../../protocol/retention.ts';
import { confirmed } from '../../confirmation.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import type { CommandContext, GlobalOptions, Run } from '../../runner.ts';
import { countText, printable, shellWord } from '../../text.ts';
import { destinationOption, deviceOption, FIRST, wholeNumber } from '../arguments.ts';
import { locatedSet } from '../located-set.ts';
import { awaitingOutcome, PERIOD_NOUNS, PERIODS, retentionOutcome } from './retention-outcome.ts';
import type { RestoreTime } from '../../../model/restore-request.ts';

interface Options extends GlobalOptions {
  readonly device?: string;
  readonly destination?: string;
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

type Perform = (set: string, options: Options, context: CommandContext) => Promise<Outcome>;

const EXAMPLES = `
Of each hour, day, week, month and year that counts, the first and the last restore point are kept. Periods
count back from the newest restore point. What is removed cannot be restored; its space is freed days later, or at once
with "holdfast free" where no other computer writes.

Example:
  holdfast retention set documents --keep-all-days 2 --daily 14 --weekly 8 --monthly 24
  holdfast retention preview documents`;

export function retentionCommand(run: Run): Command {
  const retention = new Command('retention')
    .summary('choose which restore points stay')
    .description('Which restore points stay, and what removing the others frees.');
  const add = (name: string, description: string, perform: Perform): Command => {
    const command = new Command(name)
      .description(description)
      .argument('<name>', 'the backup set')
      .addOption(destinationOption(FIRST))
      .addOption(deviceOption())
      .action((set: string, _options: unknown, self: Command) => {
        const options = self.optsWithGlobals<Options>();
        return run(options, (context) => perform(set, options, context));
      });
    retention.addCommand(command);
    return command;
  };

  add('show', 'Shows the policy and its effect on each restore point.', show);
  withPolicy(add('set', 'Sets which restore points are kept from now on.', setPolicy)).option(
    '--keep-everything',
    'no policy: all restore points stay',
  );
  withPolicy(add('preview', 'Shows what a policy would remove, and what that frees.', preview));
  withYes(add('apply', 'Removes what the policy does not keep.', apply));
  add('release', 'Lets restore points be removed again after a run with signs of ransomware.', release);
  withYes(
    add(
      'lock',
      'Keeps every restore point for at least this many days. The period can only be extended. A bucket with object lock ' +
        'then refuses to delete files for so long.',
      lock,
    ),
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
  set: string,
  options: Pick<Options, 'device' | 'destination'>,
  choice: RetentionChoice,
): Promise<Outcome> {
  return ask(set, options, context, choice);
}

/**
 * Returns the time of the restore point that a time means.
 *
 * @throws HoldfastError `no_restore_point`
 */
export async function foundPoint(
  context: CommandContext,
  set: string,
  options: Pick<Options, 'device' | 'destination'>,
  at: RestoreTime,
): Promise<string> {
  const { agent, reference } = await kept(set, options, context);
  const [{ state }, { pointAt }, { HoldfastError }] = await Promise.all([
    agent.retention({ ...reference, action: 'show' }, context),
    import('../../../agent/operations/retention/retention.ts'),
    import('../../../base/errors/errors.ts'),
  ]);
  const point = pointAt(state.points, at);
  if (!point) throw new HoldfastError('no_restore_point', { set });
  return point.restore_point;
}

function withPolicy(command: Command): Command {
  const count = wholeNumber('a number of restore points', 0, 100_000);
  command.addOption(
    new Option('--keep-all-days <n>', 'all of the last days').argParser(wholeNumber('a number of days', 0, 36_500)),
  );
  for (const period of PERIODS) {
    command.addOption(
      new Option(`--${period} <n>`, `the newest of this many ${PERIOD_NOUNS[period]}`).argParser(count),
    );
  }
  return command.option('--time-zone <zone>', "the time zone of days and weeks; this computer's by default");
}

function withYes(command: Command): Command {
  return command.option('--yes', 'skip the confirmation');
}

const show: Perform = (set, options, context) => askPolicy(set, options, context, { action: 'show' });

const setPolicy: Perform = async (set, options, context) => {
  const policy = await policyOf(options);
  if ((policy === undefined) !== (options.keepEverything === true)) {
    const { wrongUsage } = await import('../../../base/errors/errors.ts');
    throw wrongUsage({ problem: 'retention', message: 'Specify what to keep, like --daily 7, or --keep-everything.' });
  }
  return askPolicy(set, options, context, { action: 'set', policy: policy ?? null });
};

const preview: Perform = async (set, options, context) => {
  const policy = await policyOf(options);
  return ask(set, options, context, { action: 'preview', ...(policy ? { policy } : {}) });
};

const apply: Perform = async (set, options, context) => {
  const question = `Remove what the policy of ${set} does not keep`;
  if (!(await confirmed(question, options.yes === true, context))) return unchanged();
  return ask(set, options, context, { action: 'apply' });
};

const release: Perform = (set, options, context) => ask(set, options, context, { action: 'release' });

const lock: Perform = async (set, options, context) => {
  const minimumDays = options.days ?? 0;
  const what = options.account ? 'every restore point of the account' : `every restore point of ${set}`;
  const question = `Keep ${what} for ${countText(minimumDays, 'day')}, which cannot be undone`;
  if (!(await confirmed(question, options.yes === true, context))) return unchanged();
  return ask(set, options, context, { action: 'lock', scope: options.account ? 'account' : 'set', minimumDays });
};

/** @throws HoldfastError `usage` for a time zone that does not exist */
async function policyOf(options: Options): Promise<RetentionPolicy | undefined> {
  const { keepAllDays = 0, hourly = 0, daily = 0, weekly = 0, monthly = 0, yearly = 0 } = options;
  if (keepAllDays + hourly + daily + weekly + monthly + yearly === 0) return undefined;
  const timeZone = options.timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const policy = { keep_all_days: keepAllDays, hourly, daily, weekly, monthly, yearly, time_zone: timeZone };
  const { isPolicy } = await import('../../../agent/operations/retention/retention-policy.ts');
  if (isPolicy(policy)) return policy;
  const { wrongUsage } = await import('../../../base/errors/errors.ts');
  const message = `"${printable(timeZone)}" is not a time zone. Write it like Europe/Berlin or UTC.`;
  throw wrongUsage({ problem: 'retention', message });
}

async function askPolicy(
  set: string,
  options: Pick<Options, 'device' | 'destination'>,
  context: CommandContext,
  choice: PolicyChoice,
): Promise<Outcome> {
  const { agent, reference } = await kept(set, options, context);
  const answer = await agent.policy({ ...reference, ...choice }, context);
  return 'awaiting' in answer ? awaitingOutcome(answer) : retentionOutcome(set, choice, answer, placeOf(agent));
}

async function ask(
  set: string,
  options: Pick<Options, 'device' | 'destination'>,
  context: CommandContext,
  choice: RetentionChoice,
): Promise<Outcome> {
  const { agent, reference } = await kept(set, options, context);
  const answer = await agent.retention({ ...reference, ...choice }, context);
  return retentionOutcome(set, choice, answer, placeOf(agent));
}

/** The option that names the destination, if there are several. */
function placeOf(agent: Agent): string {
  const { name = '', others = [] } = agent.settings() ?? {};
  return others.length === 0 ? '' : ` --destination ${shellWord(name)}`;
}

/** Another device's set has to be named as such: what is changed is not restored, but removed. */
async function kept(
  set: string,
  options: Pick<Options, 'device' | 'destination'>,
  context: CommandContext,
): Promise<{ readonly agent: Agent; readonly reference: SetReference }> {
  if (options.device !== undefined) return await locatedSet(set, options, context);
  return { agent: await context.agent(options.destination), reference: { set } };
}

export function unchanged(): Outcome {
  return outcome({ changed: false }, ['Nothing was changed.'], { exitCode: 1 });
}
