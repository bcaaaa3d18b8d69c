import { Command, InvalidArgumentError } from 'commander';
import { outcome } from '../../outcome.ts';
import type { Run } from '../../runner.ts';
import { printable } from '../../text.ts';
import { collected } from '../arguments.ts';
import { ownerAction, withOwner } from './owner-options.ts';
import { deliveriesOutcome, deliveryOutcome, secretOutcome, webhooksOutcome } from './webhook-outcomes.ts';

interface EndpointOptions {
  readonly url: string;
  readonly event: readonly string[];
}

interface DeliveriesOptions {
  readonly webhook?: string;
}

interface ReplayOptions {
  readonly from: number;
  readonly to?: number;
  readonly givenUp?: boolean;
}

const load = () => import('../../../service/administration/service-webhooks.ts');

export function webhookCommand(run: Run): Command {
  const webhook = new Command('webhook').description(
    'Webhooks of an account. All commands work while the service is running.',
  );
  const add = (name: string, description: string): Command => {
    const command = withOwner(new Command(name)).description(description);
    webhook.addCommand(command);
    return command;
  };

  withEndpoint(add('add', 'Adds a webhook. Its signing secret is shown once.')).action(
    ownerAction(run, async (owner, _, command) => {
      const { url, event: events } = command.opts<EndpointOptions>();
      const { addServiceWebhook } = await load();
      const added = await addServiceWebhook(owner, { url, events });
      return secretOutcome(added, 'Keep the secret for the receiver: it is not shown again.');
    }),
  );
  add('list', 'Lists the webhooks.').action(
    ownerAction(run, async (owner) => {
      const { listServiceWebhooks } = await load();
      return webhooksOutcome(await listServiceWebhooks(owner));
    }),
  );
  withEndpoint(add('change', 'Changes the address and the events of a webhook. Its signing secret stays.'))
    .argument('<webhook>')
    .action(
      ownerAction(run, async (owner, id, command) => {
        const { url, event: events } = command.opts<EndpointOptions>();
        const { changeServiceWebhook } = await load();
        await changeServiceWebhook(owner, id, { url, events });
        return outcome({ webhook_id: id, url, events }, [`Changed ${printable(id)}.`]);
      }),
    );
  add('rotate', 'Gives a webhook a new signing secret, shown once. The old one stays valid for 24 hours.')
    .argument('<webhook>')
    .action(
      ownerAction(run, async (owner, id) => {
        const { rotateServiceWebhook } = await load();
        const rotated = await rotateServiceWebhook(owner, id);
        return secretOutcome(rotated, 'Give it to the receiver within 24 hours; until then both secrets are valid.');
      }),
    );
  add('enable', 'Delivers to a webhook again, from the next event on.')
    .argument('<webhook>')
    .action(enableAction(run, true));
  add('disable', 'Stops deliveries to a webhook and discards those that are waiting.')
    .argument('<webhook>')
    .action(enableAction(run, false));
  add('remove', 'Removes a webhook, with the log of its deliveries.')
    .argument('<webhook>')
    .action(
      ownerAction(run, async (owner, id) => {
        const { removeServiceWebhook } = await load();
        await removeServiceWebhook(owner, id);
        return outcome({ removed: id }, [`Removed ${printable(id)}.`]);
      }),
    );
  add('deliveries', 'Lists the newest 50 deliveries.')
    .option('--webhook <id>', 'of this webhook only')
    .action(
      ownerAction(run, async (owner, _, command) => {
        const { listServiceDeliveries } = await load();
        return deliveriesOutcome(await listServiceDeliveries(owner, command.opts<DeliveriesOptions>().webhook));
      }),
    );
  add('delivery', 'Shows a delivery: its content, and every attempt with its response.')
    .argument('<delivery>')
    .action(
      ownerAction(run, async (owner, id) => {
        const { readServiceDelivery } = await load();
        return deliveryOutcome(await readServiceDelivery(owner, id));
      }),
    );
  add(
    'send-again',
    'Sends a delivery again under the same id: at once, and with retries for another 24 hours if that fails.',
  )
    .argument('<delivery>')
    .action(
      ownerAction(run, async (owner, id) => {
        const { sendServiceDeliveryAgain } = await load();
        await sendServiceDeliveryAgain(owner, id);
        return outcome({ delivery_id: id }, ['The running service sends it again within seconds.']);
      }),
    );
  add('test', 'Sends a test to a webhook, whatever events it gets.')
    .argument('<webhook>')
    .action(
      ownerAction(run, async (owner, id) => {
        const { testServiceWebhook } = await load();
        const delivery = await testServiceWebhook(owner, id);
        return outcome({ delivery_id: delivery }, [
          'The running service sends it within seconds. What came back:',
          `  holdfast service webhook delivery ${delivery} …`,
        ]);
      }),
    );
  add('replay', 'Sends the deliveries of a time again under the same ids, the oldest first, at most 10,000.')
    .argument('<webhook>')
    .requiredOption('--from <time>', 'events from this time on: 2026-03-01T10:00:00Z', isoTime)
    .option('--to <time>', 'up to this time; by default now', isoTime)
    .option('--given-up', 'only those that were given up')
    .action(
      ownerAction(run, async (owner, id, command) => {
        const { from, to = Date.now(), givenUp = false } = command.opts<ReplayOptions>();
        const { replayServiceWebhook } = await load();
        const deliveries = await replayServiceWebhook(owner, id, { from, to, onlyGivenUp: givenUp });
        return outcome({ webhook_id: id, deliveries }, [`The running service sends ${deliveries} again.`]);
      }),
    );
  return webhook;
}

function isoTime(text: string): number {
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new InvalidArgumentError('A time is like 2026-03-01T10:00:00Z.');
  return time;
}

function withEndpoint(command: Command): Command {
  return command
    .requiredOption('--url <url>', 'where deliveries go')
    .option('--event <name>', 'only this type of event; may be given several times', collected, []);
}

function enableAction(run: Run, enabled: boolean) {
  return ownerAction(run, async (owner, id) => {
    const { enableServiceWebhook } = await load();
    await enableServiceWebhook(owner, id, enabled);
    return outcome({ webhook_id: id, enabled }, [`${enabled ? 'Enabled' : 'Disabled'} ${printable(id)}.`]);
  });
}
