import { Command } from 'commander';
import type { SignInChoice } from '../../../agent/operations/sign-in.ts';
import { wrongUsage } from '../../../base/errors/errors.ts';
import { outcome } from '../../outcome.ts';
import type { CommandContext, GlobalOptions, Run } from '../../runner.ts';
import { printable } from '../../text.ts';
import { chosenDestination, withSignIn, type DestinationOptions } from '../setup/destination-options.ts';

type Options = GlobalOptions &
  Pick<DestinationOptions, 'email' | 'passwordFile' | 'code' | 'provider' | 'deviceKeyFile'>;

const EXAMPLES = `
Examples:
  holdfast destination sign-in --email anna@example.org --password-file pw.txt --code 123456
  holdfast destination sign-in Cloud --provider company
  holdfast destination sign-in --device-key-file key.txt`;

/** `destination sign-in`: for a session or a key that the service no longer takes. */
export function destinationSignInCommand(run: Run): Command {
  const command = new Command('sign-in')
    .summary('sign in at a service again')
    .description(
      'Signs in at a service again, after it has ended the session of this home or no longer takes its key. The computer stays the same ' +
        'device there, with its sets, settings and restore points.',
    )
    .argument('[name]', 'the destination; not needed if only one is a service');
  return withSignIn(command)
    .addHelpText('after', EXAMPLES)
    .action((name: string | undefined, _options: unknown, self: Command) => {
      const options = self.optsWithGlobals<Options>();
      return run(options, async (context) => {
        const agent = await context.agent(name);
        const {
          id,
          name: shown,
          deviceId,
        } = await agent.signIn(
          {},
          { signal: context.signal, choose: (url, device) => choiceOf(options, url, device, context) },
        );
        const value = { id, name: shown, device_id: deviceId };
        return outcome(value, [`Signed in at ${printable(shown)} again, as device ${deviceId}.`]);
      });
    });
}

async function choiceOf(
  options: Options,
  url: string,
  deviceId: string,
  context: CommandContext,
): Promise<SignInChoice> {
  const { email, provider, deviceKeyFile } = options;
  if ((email ?? provider ?? deviceKeyFile) === undefined) {
    const message = 'Sign in with --email, --password-file and --code, with --provider, or with --device-key-file.';
    throw wrongUsage({ problem: 'options', message });
  }
  return (await chosenDestination({ ...options, server: url, deviceId }, context)) as SignInChoice;
}
