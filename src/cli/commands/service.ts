import { Command } from 'commander';
import { outcome, type Outcome } from '../outcome.ts';
import type { CommandContext, GlobalOptions, Run } from '../runner.ts';
import { alignColumns } from '../text.ts';
import { collected, wholeNumber } from './arguments.ts';
import { refuseUnavailable, unavailableOption } from './unavailable.ts';

interface StartOptions extends GlobalOptions {
  readonly data?: string;
  readonly port?: number;
  readonly host?: string;
  readonly config?: string;
  readonly allowPrivateWebhooks?: true;
  readonly database?: string;
  readonly objects?: string;
}

interface AccountOptions extends GlobalOptions {
  readonly data: string;
  readonly email: string;
  readonly passwordFile: string;
}

interface WebhookOptions extends GlobalOptions {
  readonly data: string;
  readonly email: string;
  readonly url: string;
  readonly event: readonly string[];
}

export function serviceCommand(run: Run): Command {
  const service = new Command('service').description('Runs the service itself, for self-hosting.');
  service.addCommand(startCommand(run));
  const account = service.command('account').description('Accounts of the service.');
  account.addCommand(createAccountCommand(run));
  const webhook = service.command('webhook').description('Webhooks of an account.');
  webhook.addCommand(addWebhookCommand(run));
  return service;
}

const CONFIG_HELP = `
The config file is JSON: data, host, port, publicUrl, allowPrivateWebhooks. Each can also be set as
HOLDFAST_SERVICE_DATA, …_HOST, …_PORT, …_PUBLIC_URL, …_ALLOW_PRIVATE_WEBHOOKS. The command line comes
first, then the environment, then the file.`;

function startCommand(run: Run): Command {
  return new Command('start')
    .description('Starts the service. It says its address when it is ready, and SIGTERM ends it cleanly.')
    .option('--data <dir>', 'the folder with its data; it is made where it is missing')
    .option('--port <number>', '8787; 0 for a free one', wholeNumber('a port', 0, 65_535))
    .option('--host <host>', '127.0.0.1; 0.0.0.0 for all')
    .option('--config <file>', 'a config file')
    .option('--allow-private-webhooks', 'let webhooks go to private addresses')
    .addOption(unavailableOption('--database <url>'))
    .addOption(unavailableOption('--objects <url>'))
    .addHelpText('after', CONFIG_HELP)
    .action((_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<StartOptions>();
      return run(options, async (context) => {
        if (options.database !== undefined) await refuseUnavailable('--database');
        if (options.objects !== undefined) await refuseUnavailable('--objects');
        return start(options, context);
      });
    });
}

async function start(options: StartOptions, context: CommandContext): Promise<Outcome> {
  const [{ serviceConfig }, { runService }] = await Promise.all([
    import('../../agent/self-hosting/service-config.ts'),
    import('../../agent/self-hosting/self-hosting.ts'),
  ]);
  const { data, host, port, allowPrivateWebhooks } = options;
  const config = serviceConfig({ data, host, port, allowPrivateWebhooks }, context.environment, options.config);
  const { output } = context;
  await runService(
    config,
    // Whoever starts the service reads its address from the first line, so it comes before the end of the command.
    (url) =>
      output.streams.out.write(output.json ? `${JSON.stringify({ url })}\n` : `Holdfast service ready at ${url}\n`),
    context.signal,
  );
  return { json: { kind: 'shown' }, lines: [] };
}

function createAccountCommand(run: Run): Command {
  return new Command('create')
    .description(
      'Creates an account with its owner, whose second factor is shown once. Works beside a running service.',
    )
    .requiredOption('--data <dir>', "the service's folder")
    .requiredOption('--email <email>', "the owner's e-mail address")
    .requiredOption('--password-file <file>', "the owner's password")
    .action((_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<AccountOptions>();
      return run(options, async () => {
        const [{ readSecretFile }, { createServiceAccount }] = await Promise.all([
          import('../secret-file.ts'),
          import('../../agent/self-hosting/self-hosting.ts'),
        ]);
        const password = readSecretFile(options.passwordFile);
        const account = await createServiceAccount(options.data, { email: options.email, password });
        return outcome(account, [
          ...alignColumns([
            ['User', account.user_id],
            ['TOTP secret', account.totp_secret],
            ['TOTP address', account.totp_uri],
          ]),
          '',
          'Put the secret into an authenticator app: it is not shown again.',
        ]);
      });
    });
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
        const { addServiceWebhook } = await import('../../agent/self-hosting/self-hosting.ts');
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
