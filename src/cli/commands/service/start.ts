import { Command } from 'commander';
import type { Outcome } from '../../outcome.ts';
import type { CommandContext, Run } from '../../runner.ts';
import { givenConfig, withConfigOptions, type ConfigOptions } from './config-options.ts';

export function startCommand(run: Run): Command {
  const command = new Command('start').description(
    'Starts the service. It prints its address when it is ready; SIGTERM stops it cleanly.',
  );
  return withConfigOptions(command).action((_options: unknown, started: Command) => {
    const options = started.optsWithGlobals<ConfigOptions>();
    return run(options, (context) => start(options, context));
  });
}

async function start(options: ConfigOptions, context: CommandContext): Promise<Outcome> {
  const [{ serviceConfig }, { runService }] = await Promise.all([
    import('../../../service/administration/service-config.ts'),
    import('../../../service/administration/self-hosting.ts'),
  ]);
  const config = serviceConfig(givenConfig(options), context.environment, options.config);
  const { output } = context;
  await runService(
    config,
    context.environment,
    // The program that starts the service reads its address from the first line, so it is written before the command ends.
    (url, setUpUrl) => {
      output.showNow({ url }, `Holdfast service ready at ${url}`);
      // A secret for the person who starts the service.
      if (setUpUrl !== undefined) output.note(`It has no account yet. Set it up in a browser: ${setUpUrl}`);
    },
    context.signal,
  );
  return { json: { kind: 'shown' }, lines: [] };
}
