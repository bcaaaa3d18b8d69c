import { Command } from 'commander';
import { outcome } from '../../outcome.ts';
import type { GlobalOptions, Run } from '../../runner.ts';
import { alignColumns } from '../../columns.ts';
import { printable, timeText } from '../../text.ts';
import { ownerOf, withOwner, type OwnerOptions } from './owner-options.ts';

interface AccountOptions extends GlobalOptions {
  readonly config?: string;
  readonly data?: string;
  readonly database?: string;
  readonly email: string;
  readonly passwordFile: string;
}

export function accountCommand(run: Run): Command {
  const account = new Command('account').description('Accounts of the service.');
  account.addCommand(createAccountCommand(run));
  account.addCommand(resetPasswordCommand(run));
  account.addCommand(resetFactorsCommand(run));
  return account;
}

function resetPasswordCommand(run: Run): Command {
  const command = new Command('reset-password').description(
    'Prints a link with which someone who forgot their password chooses a new one, once, within a day. It still takes ' +
      'their second factor. Works while the service is running.',
  );
  return withOwner(command).action((_options: unknown, self: Command) => {
    const options = self.optsWithGlobals<OwnerOptions>();
    return run(options, async ({ environment }) => {
      const { resetServicePassword } = await import('../../../service/administration/service-passwords.ts');
      const reset = await resetServicePassword(await ownerOf(options, environment));
      return outcome(reset, [
        reset.address,
        '',
        `Pass it on to ${printable(options.email)} in a way that nobody else reads. It is valid once, until ${timeText(reset.expires_at)}.`,
      ]);
    });
  });
}

function resetFactorsCommand(run: Run): Command {
  const command = new Command('reset-factors').description(
    'Removes the second factors of someone who lost them: all sign-ins end, and the next correct password leads to a ' +
      'new factor. Works while the service is running.',
  );
  return withOwner(command).action((_options: unknown, self: Command) => {
    const options = self.optsWithGlobals<OwnerOptions>();
    return run(options, async ({ environment }) => {
      const { resetServiceFactors } = await import('../../../service/administration/service-factors.ts');
      const reset = await resetServiceFactors(await ownerOf(options, environment));
      return outcome(reset, [
        `The second factors of ${printable(options.email)} were removed, and all sign-ins have ended.`,
      ]);
    });
  });
}

function createAccountCommand(run: Run): Command {
  return new Command('create')
    .description(
      'Creates an account with its owner, whose second factor and recovery codes are shown once. Works while the service is running.',
    )
    .option('--config <file>', "the service's config file")
    .option('--data <dir>', "the service's folder")
    .option('--database <url>', 'postgres://USER@HOST/NAME, if it uses one')
    .requiredOption('--email <email>', "the owner's e-mail address")
    .requiredOption('--password-file <file>', "the owner's password")
    .action((_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<AccountOptions>();
      return run(options, async ({ environment }) => {
        const [{ readSecretFile }, { serviceConfig }, { createServiceAccount }] = await Promise.all([
          import('../../secret-file.ts'),
          import('../../../service/administration/service-config.ts'),
          import('../../../service/administration/self-hosting.ts'),
        ]);
        const password = readSecretFile(options.passwordFile);
        const { data, database, config } = options;
        const service = serviceConfig({ data, database }, environment, config);
        const account = await createServiceAccount(service, { email: options.email, password });
        return outcome(account, [
          ...alignColumns([
            ['User', account.user_id],
            ['TOTP secret', account.totp_secret],
            ['TOTP address', account.totp_uri],
          ]),
          '',
          'Put the secret into an authenticator app: it is not shown again.',
          '',
          'Recovery codes, each of which replaces a code of the app once. They are not shown again, either:',
          ...account.recovery_codes,
        ]);
      });
    });
}
