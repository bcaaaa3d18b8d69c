import { Command } from 'commander';
import type { LoginState } from '../../../agent/operations/timers/user-timers.ts';
import { alignColumns } from '../../columns.ts';
import { outcome } from '../../outcome.ts';
import type { GlobalOptions, Run } from '../../runner.ts';
import { printable } from '../../text.ts';

const HELP_END = `
A timer of systemd backs the set up every hour, and once after the computer was off. It needs Linux with systemd and
the package of the command line, holdfast-cli. The schedule of the set itself does not apply there.

By default it also runs while you are not signed in ("lingering", loginctl(1)). That is a setting of your account: it
holds for your other timers and services, too, and "timer off" leaves it. "loginctl disable-linger" ends it.

Examples:
  holdfast timer on documents
  holdfast timer status
  journalctl --user --unit holdfast-backup@documents`;

const WITHOUT_LOGIN = {
  yes: 'also while you are not signed in',
  no: 'only while you are signed in',
  unknown: 'unknown: loginctl does not say',
} as const;

export function timerCommand(run: Run): Command {
  const timer = new Command('timer')
    .summary('back up by systemd, without a login')
    .description('Backs sets up by timers of systemd, for a computer or account that nobody signs in to.')
    .addHelpText('after', HELP_END);
  timer
    .command('status')
    .description('Shows the sets with a timer, and whether it runs without a login.')
    .action((_options: unknown, command: Command) =>
      run(command.optsWithGlobals<GlobalOptions>(), async (context) => {
        const { sets, withoutLogin } = await (await context.agent()).timers();
        const rows = sets.map(({ name, timer: unit }) => [printable(name), unit === 'on' ? 'every hour' : 'off']);
        return outcome(
          {
            sets: sets.map(({ name, timer: unit }) => ({ name, on: unit === 'on' })),
            without_login: jsonOf(withoutLogin),
          },
          alignColumns([...rows, ['Timers run', WITHOUT_LOGIN[withoutLogin]]]),
        );
      }),
    );
  timer
    .command('on')
    .description('Backs a set up every hour, also while you are not signed in.')
    .argument('<set>')
    .option('--signed-in-only', 'leave the setting of your account: do not ask systemd to run without a login')
    .action((set: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { readonly signedInOnly?: true }>();
      return run(options, async (context) => {
        const agent = await context.agent();
        const state = await agent.switchTimer({ set, isOn: true, withoutLogin: options.signedInOnly !== true });
        const warnings = refusalOf(state);
        return outcome(
          { set, on: true, without_login: jsonOf(state.withoutLogin), warnings },
          [`${printable(set)} is backed up every hour.`, `Timers run: ${WITHOUT_LOGIN[state.withoutLogin]}.`],
          warnings.length === 0 ? {} : { warnings, exitCode: 3 },
        );
      });
    });
  timer
    .command('off')
    .description('Ends the hourly backups of a set by its timer.')
    .argument('<set>')
    .action((set: string, _options: unknown, command: Command) =>
      run(command.optsWithGlobals<GlobalOptions>(), async (context) => {
        const agent = await context.agent();
        const { withoutLogin } = await agent.switchTimer({ set, isOn: false, withoutLogin: false });
        const rest =
          withoutLogin === 'yes'
            ? ['Your other timers still run without a login. To end that: loginctl disable-linger']
            : [];
        return outcome({ set, on: false, without_login: jsonOf(withoutLogin) }, [
          `${printable(set)} has no timer.`,
          ...rest,
        ]);
      }),
    );
  return timer;
}

function jsonOf(state: LoginState['withoutLogin']): boolean | null {
  return state === 'unknown' ? null : state === 'yes';
}

function refusalOf({ refusal }: LoginState): readonly string[] {
  if (refusal === undefined) return [];
  return [
    `The timer is on, but not without a login (${printable(refusal)}): backups run only while you are signed in. ` +
      'An administrator can allow it: sudo loginctl enable-linger YOUR-NAME',
  ];
}
