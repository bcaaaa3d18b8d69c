import { Command, InvalidArgumentError } from 'commander';
import type { ShownPlan } from '../../../service/administration/service-plans.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import type { Run } from '../../runner.ts';
import { alignColumns } from '../../columns.ts';
import { printable, sizeText, timeText } from '../../text.ts';
import { ownerAction, serviceOf, withOwner, withService, type OperatorOptions } from './owner-options.ts';

interface SetOptions {
  readonly limit: number | 'none';
}

interface FailedOptions {
  readonly reason: string;
  readonly amount?: string;
  readonly currency?: string;
}

const load = () => import('../../../service/administration/service-plans.ts');

export function planCommand(run: Run): Command {
  const plan = new Command('plan').description('Plans of accounts: how much they may store, and whether it is paid.');
  const add = (name: string, description: string): Command => {
    const command = withOwner(new Command(name)).description(description);
    plan.addCommand(command);
    return command;
  };

  add('show', "Shows an account's plan and what it uses of it.").action(
    ownerAction(run, async (owner) => {
      const { readServicePlan } = await load();
      return planOutcome(await readServicePlan(owner));
    }),
  );
  add('set', 'Puts an account on a plan. Stored data is kept even above the limit; new data is refused there.')
    .argument('<plan>', 'its name, as events report it')
    .requiredOption('--limit <size>', '500G, 2T (powers of 1000), bytes, or none', storageLimit)
    .action(
      ownerAction(run, async (owner, name, command) => {
        const { limit } = command.opts<SetOptions>();
        const { setServicePlan } = await load();
        return planOutcome(await setServicePlan(owner, { name, limit: limit === 'none' ? undefined : limit }));
      }),
    );
  add('payment-failed', 'Records a failed payment and notifies the webhooks.')
    .requiredOption('--reason <text>', 'why, as events report it')
    .option('--amount <decimal>', 'like 19.90', decimal)
    .option('--currency <code>', 'like EUR', currencyCode)
    .action(
      ownerAction(run, async (owner, _, command) => {
        const { reason, amount, currency } = command.opts<FailedOptions>();
        const { recordFailedPayment } = await load();
        return planOutcome(await recordFailedPayment(owner, { reason, amount, currency }));
      }),
    );
  add('paid', 'Records that a failed payment was paid.').action(
    ownerAction(run, async (owner) => {
      const { recordPayment } = await load();
      return planOutcome(await recordPayment(owner));
    }),
  );
  plan.addCommand(secretCommand(run));
  return plan;
}

function secretCommand(run: Run): Command {
  return withService(new Command('provider-secret'))
    .description('Shows the secret with which a payment provider signs its notifications.')
    .action((_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<OperatorOptions>();
      return run(options, async ({ environment }) => {
        const secret = await (await load()).readBillingSecret(await serviceOf(options, environment));
        return outcome({ provider_secret: secret }, [secret]);
      });
    });
}

function planOutcome({ account_id, plan, storageUsed }: ShownPlan): Outcome {
  const failedAt = plan?.paymentFailedAt;
  const value = {
    account_id,
    plan: plan?.name ?? null,
    limit_bytes: plan?.limit ?? null,
    storage_used_bytes: storageUsed,
    payment_failed: failedAt === undefined ? null : new Date(failedAt).toISOString(),
  };
  const limit = plan?.limit;
  const used = limit === undefined ? '' : ` (${((100 * storageUsed) / limit).toFixed(1)} %)`;
  const rows = [
    ['Account', account_id],
    ['Plan', plan === undefined ? 'none' : printable(plan.name)],
    ['Limit', limit === undefined ? 'none' : sizeText(limit)],
    ['Used', `${sizeText(storageUsed)}${used}`],
    ...(failedAt === undefined ? [] : [['Payment', `failed at ${timeText(failedAt)}`]]),
  ];
  return outcome(value, alignColumns(rows));
}

const SIZE_PREFIXES = ['', 'k', 'm', 'g', 't', 'p'] as const;

/** Reads a size in units of 1,000, as the portal shows them, or of 1,024 with an i: 500G, 1.5 TB, 2TiB. */
function storageLimit(text: string): number | 'none' {
  if (text === 'none') return 'none';
  const [, number, unit = '', binary] = /^(\d{1,16}(?:\.\d{1,6})?) ?(?:([kmgtp])(i)?b?)?$/i.exec(text.trim()) ?? [];
  const power = SIZE_PREFIXES.findIndex((prefix) => prefix === unit.toLowerCase());
  const limit = Math.round(Number(number) * (binary === undefined ? 1000 : 1024) ** power);
  if (limit >= 1 && Number.isSafeInteger(limit)) return limit;
  throw new InvalidArgumentError('A limit is a size like 500G or 2T, or none.');
}

function decimal(text: string): string {
  if (/^\d{1,12}(\.\d{1,4})?$/.test(text)) return text;
  throw new InvalidArgumentError('An amount is a decimal number like 19.90.');
}

function currencyCode(text: string): string {
  if (/^[A-Z]{3}$/.test(text)) return text;
  throw new InvalidArgumentError('A currency has three capital letters, like EUR.');
}
