import { Command } from 'commander';
import { outcome } from '../../outcome.ts';
import type { Run } from '../../runner.ts';
import { alignColumns } from '../../columns.ts';
import { countText } from '../../text.ts';
import { givenConfig, withConfigOptions, type ConfigOptions } from './config-options.ts';

const MARKS = { ok: 'ok', warning: 'WARNING', failed: 'FAILED' } as const;

interface ServiceCheckOptions extends ConfigOptions {
  readonly beforeStart?: true;
}

export function checkCommand(run: Run): Command {
  const command = new Command('check')
    .description('Checks the config and everything it names, and prints one line for each. Leaves nothing behind.')
    .option('--before-start', 'do not ask the public address, at which a service that is stopped cannot answer');
  return withConfigOptions(command).action((_options: unknown, checked: Command) => {
    const options = checked.optsWithGlobals<ServiceCheckOptions>();
    return run(options, async ({ environment }) => {
      const { checkServiceConfig } = await import('../../../service/administration/service-check.ts');
      const mode = { beforeStart: options.beforeStart ?? false };
      const checks = await checkServiceConfig(givenConfig(options), environment, options.config, mode);
      const count = (status: keyof typeof MARKS): number => checks.filter((check) => check.status === status).length;
      const failures = count('failed');
      const summary =
        failures > 0
          ? `The service would not run: ${countText(failures, 'failure')}, ${countText(count('warning'), 'warning')}.`
          : `The service can run: ${countText(count('warning'), 'warning')}.`;
      return outcome(
        { ok: failures === 0, checks },
        [...alignColumns(checks.map(({ check, status, message }) => [MARKS[status], check, message])), '', summary],
        { exitCode: failures > 0 ? 1 : 0 },
      );
    });
  });
}
