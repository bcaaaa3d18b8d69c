import { Command } from 'commander';
import { outcome } from '../../outcome.ts';
import type { GlobalOptions, Run } from '../../runner.ts';
import { alignColumns } from '../../text.ts';
import { collected } from '../arguments.ts';

interface WebhookOptions extends GlobalOptions {
  readonly data: string;
  readonly email: string;
  readonly url: string;
  readonly event: readonly string[];
}

export function webhookCommand(run: Run): Command {
  const webhook = new Command('webhook').description('Webhooks of an account.');
  webhook.addCommand(addWebhookCommand(run));
  return webhook;
}

function addWebhookCommand(run: Run): Command {
  return new Command('add')
    .description('Adds a webhook to an account. Its signing secret is shown once. Works beside a running service.')
    .requiredOption('--data <dir>', "the service's folder")
    .requiredOption('--email <email>', "the account's owner")
    .requiredOption('--url <url>', 'where deliveries go')
    .option('--event <name>', 'only this type of event; may be given several times', collected, [])
    .action((_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<WebhookOptions>();
      return run(options, async () => {
        const { addServiceWebhook } = await import('../../../agent/self-hosting/self-hosting.ts');
        const { data, email, url, event: events } = options;
        const added = await addServiceWebhook(data, { email, url, events });
        return outcome(added, [
          ...alignColumns([
            ['Webhook', added.webhook_id],
            ['Signing secret', added.signing_secret],
          ]),
          '',
          'Keep the secret for the receiver: it is not shown again.',
        ]);
      });
    });
}
