import { Command } from 'commander';
import type { Outcome } from '../../outcome.ts';
import type { CommandContext, GlobalOptions, Run } from '../../runner.ts';
import { wholeNumber } from '../arguments.ts';
import { refuseUnavailable, unavailableOption } from '../unavailable.ts';

interface StartOptions extends GlobalOptions {
  readonly data?: string;
  readonly port?: number;
  readonly host?: string;
  readonly config?: string;
  readonly allowPrivateWebhooks?: true;
  readonly database?: string;
  readonly objects?: string;
}

const CONFIG_HELP = `
The config file is JSON: data, host, port, publicUrl, allowPrivateWebhooks. Each can also be set as
HOLDFAST_SERVICE_DATA, …_HOST, …_PORT, …_PUBLIC_URL, …_ALLOW_PRIVATE_WEBHOOKS. The command line comes
first, then the environment, then the file.`;

export function startCommand(run: Run): Command {
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
    import('../../../agent/self-hosting/service-config.ts'),
    import('../../../agent/self-hosting/self-hosting.ts'),
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
