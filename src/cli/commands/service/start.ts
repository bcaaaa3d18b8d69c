import { Command } from 'commander';
import type { Outcome } from '../../outcome.ts';
import type { CommandContext, Run } from '../../runner.ts';
import { givenConfig, withConfigOptions, type ConfigOptions } from './config-options.ts';

export function startCommand(run: Run): Command {
  const command = new Command('start').description(
    'Starts the service. It says its address when it is ready, and SIGTERM ends it cleanly.',
  );
  return withConfigOptions(command).action((_options: unknown, started: Command) => {
    const options = started.optsWithGlobals<ConfigOptions>();
    return run(options, (context) => start(options, context));
  });
}

async function start(options: ConfigOptions, context: CommandContext): Promise<Outcome> {
  const [{ serviceConfig }, { runService }] = await Promise.all([
    import('../../../agent/self-hosting/service-config.ts'),
    import('../../../agent/self-hosting/self-hosting.ts'),
  ]);
  const config = serviceConfig(givenConfig(options), context.environment, options.config);
  const { output } = context;
  await runService(
    config,
    // Whoever starts the service reads its address from the first line, so it comes before the end of the command.
    (url, setUpUrl) =>
      output.streams.out.write(output.json ? `${JSON.stringify({ url })}\n` : readyLines(url, setUpUrl)),
    context.signal,
  );
  return { json: { kind: 'shown' }, lines: [] };
}

/** The set-up address is a secret of whoever starts the service, so it is for a person to read, and in no log. */
function readyLines(url: string, setUpUrl: string | undefined): string {
  const ready = `Holdfast service ready at ${url}\n`;
  return setUpUrl === undefined ? ready : `${ready}It has no account yet. Set it up in a browser: ${setUpUrl}\n`;
}
