import { Command } from 'commander';
import type {
  DeliveryLog,
  LoggedDelivery,
  ShownSecret,
  WebhookEndpoint,
} from '../../../service/administration/service-webhooks.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import type { Run } from '../../runner.ts';
import { alignColumns } from '../../columns.ts';
import { durationText, printable, timeText } from '../../text.ts';
import { collected } from '../arguments.ts';
import { ownerOf, withOwner, type OwnerOptions } from './owner-options.ts';

interface AddOptions extends OwnerOptions {
  readonly url: string;
  readonly event: readonly string[];
}

interface DeliveriesOptions extends OwnerOptions {
  readonly webhook?: string;
}

const load = () => import('../../../service/administration/service-webhooks.ts');

export function webhookCommand(run: Run): Command {
  const webhook = new Command('webhook').description(
    'Webhooks of an account. All of it works beside a running service.',
  );
  webhook.addCommand(addCommand(run));
  webhook.addCommand(listCommand(run));
  webhook.addCommand(changeCommand(run));
  webhook.addCommand(rotateCommand(run));
  for (const enabled of [true, false]) webhook.addCommand(enableCommand(run, enabled));
  webhook.addCommand(removeCommand(run));
  webhook.addCommand(deliveriesCommand(run));
  webhook.addCommand(deliveryCommand(run));
  webhook.addCommand(sendAgainCommand(run));
  return webhook;
}

function addCommand(run: Run): Command {
  return withOwner(new Command('add'))
    .description('Adds a webhook. Its signing secret is shown once.')
    .requiredOption('--url <url>', 'where deliveries go')
    .option('--event <name>', 'only this type of event; may be given several times', collected, [])
    .action((_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<AddOptions>();
      return run(options, async ({ environment }) => {
        const { url, event: events } = options;
        const added = await (await load()).addServiceWebhook(await ownerOf(options, environment), { url, events });
        return secretOutcome(added, 'Keep the secret for the receiver: it is not shown again.');
      });
    });
}

function listCommand(run: Run): Command {
  return withOwner(new Command('list'))
    .description('Lists the webhooks.')
    .action((_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<OwnerOptions>();
      return run(options, async ({ environment }) => {
        const webhooks = await (await load()).listServiceWebhooks(await ownerOf(options, environment));
        return outcome({ webhooks: webhooks.map(webhookJson) }, webhookLines(webhooks));
      });
    });
}

function changeCommand(run: Run): Command {
  return withOwner(new Command('change'))
    .description('Changes the address and the events of a webhook. Its signing secret stays.')
    .argument('<webhook>')
    .requiredOption('--url <url>', 'where deliveries go')
    .option('--event <name>', 'only this type of event; may be given several times', collected, [])
    .action((id: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<AddOptions>();
      return run(options, async ({ environment }) => {
        const { url, event: events } = options;
        await (await load()).changeServiceWebhook(await ownerOf(options, environment), id, { url, events });
        return outcome({ webhook_id: id, url, events }, [`Changed ${printable(id)}.`]);
      });
    });
}

function rotateCommand(run: Run): Command {
  return withOwner(new Command('rotate'))
    .description('Gives a webhook a new signing secret, shown once. The old one stays valid for 24 hours.')
    .argument('<webhook>')
    .action((id: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<OwnerOptions>();
      return run(options, async ({ environment }) => {
        const rotated = await (await load()).rotateServiceWebhook(await ownerOf(options, environment), id);
        return secretOutcome(
          rotated,
          'Give it to the receiver within 24 hours: so long it may know either of the two.',
        );
      });
    });
}

function enableCommand(run: Run, enabled: boolean): Command {
  const [name, does, done] = enabled
    ? ['enable', 'Delivers to a webhook again, from the next event on.', 'Enabled']
    : ['disable', 'Delivers nothing to a webhook any more; what waits for it is given up.', 'Disabled'];
  return withOwner(new Command(name))
    .description(does)
    .argument('<webhook>')
    .action((id: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<OwnerOptions>();
      return run(options, async ({ environment }) => {
        await (await load()).enableServiceWebhook(await ownerOf(options, environment), id, enabled);
        return outcome({ webhook_id: id, enabled }, [`${done} ${printable(id)}.`]);
      });
    });
}

function removeCommand(run: Run): Command {
  return withOwner(new Command('remove'))
    .description('Removes a webhook, with the log of its deliveries.')
    .argument('<webhook>')
    .action((id: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<OwnerOptions>();
      return run(options, async ({ environment }) => {
        await (await load()).removeServiceWebhook(await ownerOf(options, environment), id);
        return outcome({ removed: id }, [`Removed ${printable(id)}.`]);
      });
    });
}

function deliveriesCommand(run: Run): Command {
  return withOwner(new Command('deliveries'))
    .description('Lists the newest 50 deliveries.')
    .option('--webhook <id>', 'of this webhook only')
    .action((_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<DeliveriesOptions>();
      return run(options, async ({ environment }) => {
        const deliveries = await (
          await load()
        ).listServiceDeliveries(await ownerOf(options, environment), options.webhook);
        return outcome({ deliveries: deliveries.map(deliveryJson) }, deliveryLines(deliveries));
      });
    });
}

function deliveryCommand(run: Run): Command {
  return withOwner(new Command('delivery'))
    .description('Shows a delivery: its content, and every attempt with its response.')
    .argument('<delivery>')
    .action((id: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<OwnerOptions>();
      return run(options, async ({ environment }) => {
        const delivery = await (await load()).readServiceDelivery(await ownerOf(options, environment), id);
        return outcome(logJson(delivery), logLines(delivery));
      });
    });
}

function sendAgainCommand(run: Run): Command {
  return withOwner(new Command('send-again'))
    .description('Sends a delivery again under the same id: at once, and if that fails for another 24 hours.')
    .argument('<delivery>')
    .action((id: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<OwnerOptions>();
      return run(options, async ({ environment }) => {
        await (await load()).sendServiceDeliveryAgain(await ownerOf(options, environment), id);
        return outcome({ delivery_id: id }, ['The running service sends it again within seconds.']);
      });
    });
}

function secretOutcome(shown: ShownSecret, advice: string): Outcome {
  return outcome(shown, [
    ...alignColumns([
      ['Webhook', shown.webhook_id],
      ['Signing secret', shown.signing_secret],
    ]),
    '',
    advice,
  ]);
}

function webhookJson({ id, url, events, createdAt, disabledAt, previousSecretUntil }: WebhookEndpoint): object {
  return {
    webhook_id: id,
    url,
    events,
    created: isoOf(createdAt),
    disabled: isoOf(disabledAt),
    previous_secret_until: isoOf(previousSecretUntil),
  };
}

function webhookLines(webhooks: readonly WebhookEndpoint[]): string[] {
  if (webhooks.length === 0) return ['There is no webhook.'];
  return alignColumns(
    webhooks.map(({ id, url, events, disabledAt }) => [
      id,
      disabledAt === undefined ? 'enabled' : 'disabled',
      events.length === 0 ? 'all events' : events.join(','),
      printable(url),
    ]),
  );
}

function deliveryJson(delivery: LoggedDelivery): object {
  const { id, endpointId, event, createdAt, state, attempts } = delivery;
  return {
    delivery_id: id,
    webhook_id: endpointId,
    event,
    created: isoOf(createdAt),
    state,
    attempts,
    next_attempt: isoOf(delivery.nextAttemptAt),
    delivered: isoOf(delivery.deliveredAt),
    last_status: delivery.lastStatus ?? null,
    last_error: delivery.lastError ?? null,
  };
}

function deliveryLines(deliveries: readonly LoggedDelivery[]): string[] {
  if (deliveries.length === 0) return ['Nothing was sent.'];
  return alignColumns(deliveries.map((delivery) => deliveryRow(delivery)));
}

function deliveryRow({ id, event, createdAt, state, attempts, lastError }: LoggedDelivery): string[] {
  const last = lastError === undefined ? '' : printable(lastError);
  return [id, timeText(createdAt), event, state, `${attempts} tries`, last];
}

function logJson(delivery: DeliveryLog): object {
  const tries = delivery.tries.map(({ startedAt, duration, url, headers, outcome: came }) => ({
    started: isoOf(startedAt),
    duration_ms: duration,
    request: { url, headers },
    ...(came.kind === 'answered'
      ? { answer: { status: came.status, body: came.answer }, error: null }
      : { answer: null, error: came.reason }),
  }));
  return { ...deliveryJson(delivery), body: delivery.body, tries };
}

function logLines(delivery: DeliveryLog): string[] {
  const tries = delivery.tries.map(({ startedAt, duration, url, outcome: came }) => [
    timeText(startedAt),
    durationText(duration / 1000),
    came.kind === 'answered' ? `HTTP ${came.status}` : came.reason,
    printable(url),
    came.kind === 'answered' ? printable(came.answer) : '',
  ]);
  return [...alignColumns([deliveryRow(delivery)]), printable(delivery.body), ...alignColumns(tries)];
}

function isoOf(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}
