import { Command } from 'commander';
import type { SetHooks } from '../../../agent/operations/hooks.ts';
import { wrongUsage } from '../../../base/errors/errors.ts';
import { alignColumns } from '../../columns.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import type { GlobalOptions, Run } from '../../runner.ts';
import { durationText, printable, timeText } from '../../text.ts';
import { wholeNumber } from '../arguments.ts';

type Result = NonNullable<SetHooks['results']['before']>;
type PingResult = NonNullable<SetHooks['results']['start']>;

interface Options extends GlobalOptions {
  /** `false` removes it. */
  readonly before?: string | false;
  readonly after?: string | false;
  readonly beforeTimeout?: number;
  readonly afterTimeout?: number;
  readonly ping?: string;
  readonly pingStart?: string;
  readonly pingSuccess?: string;
  readonly pingFail?: string;
  /** `false` removes all. */
  readonly pings: boolean;
}

const HELP_END = `
A command is a line for the shell, or a list in JSON of a program and its arguments, which no shell reads. It may take 10
minutes unless a time-out says otherwise. If the one before a backup fails, no backup is made. A pipeline ("dump | gzip > f")
fails if any part of it fails (pipefail), by /bin/sh or, where that cannot, by bash; where no shell can, as cmd of Windows,
only its last program counts, and this command says so. The one after runs in any case; if it fails, that is a warning. It finds in its environment HOLDFAST_SET, HOLDFAST_OUTCOME (success, warnings, failed or
stopped), HOLDFAST_ERROR, HOLDFAST_RESTORE_POINT, HOLDFAST_FILES, HOLDFAST_BYTES_SCANNED, HOLDFAST_BYTES_UPLOADED,
HOLDFAST_WARNINGS and HOLDFAST_FAILED_DESTINATIONS. What it leaves running needs an output of its own, as in
"app >>~/app.log 2>&1 &": a program that still writes to the one of the command is ended by that.

A ping is a POST with a short summary as text: no names of files. No backup waits for one.

Examples:
  holdfast set hooks documents --before 'pg_dump -Fc app > ~/app.dump' --after '["/usr/bin/logger", "backed up"]'
  holdfast set hooks documents --ping https://hc-ping.com/0b1c…
  holdfast set hooks documents --no-before --no-pings`;

export function setHooksCommand(run: Run): Command {
  return new Command('hooks')
    .summary('show or change the commands and pings around backups')
    .description(
      'Shows the commands before and after backups of a set, its pings, and how the last ones ended. Changes what an option names.',
    )
    .argument('<name>')
    .option('--before <command>', 'runs before each backup')
    .option('--no-before', 'remove the command before')
    .option('--after <command>', 'runs after each backup')
    .option('--no-after', 'remove the command after')
    .option('--before-timeout <seconds>', 'the longest time of the command before', secondsOf)
    .option('--after-timeout <seconds>', 'the longest time of the command after', secondsOf)
    .option('--ping <url>', 'tell URL/start, URL and URL/fail, as Healthchecks expects')
    .option('--ping-start <url>', 'tell this address when a backup starts')
    .option('--ping-success <url>', 'tell this address when a backup succeeds')
    .option('--ping-fail <url>', 'tell this address when a backup fails')
    .option('--no-pings', 'remove all addresses')
    .addHelpText('after', HELP_END)
    .action((name: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      return run(options, async (context) => {
        const agent = await context.agent();
        const before = await agent.hooks({ set: name });
        const changed = changeOf(options, before);
        return shown(name, changed ? await agent.changeHooks({ set: name, ...changed }) : before);
      });
    });
}

const secondsOf = wholeNumber('a number of seconds', 1, 86_400);

/** Returns the commands and pings with what the options change; `undefined` if they change nothing. */
function changeOf(options: Options, { commands, pings }: SetHooks): Pick<SetHooks, 'commands' | 'pings'> | undefined {
  const { ping, pingStart, pingSuccess, pingFail } = options;
  const named = [options.before, options.after, options.beforeTimeout, options.afterTimeout];
  const addresses = [ping, pingStart, pingSuccess, pingFail];
  const isChanged = !options.pings || [...named, ...addresses].some((value) => value !== undefined);
  if (!isChanged) return undefined;
  if (addresses.includes('')) {
    throw wrongUsage({ problem: 'options', message: 'An address is empty. To remove all addresses: --no-pings.' });
  }
  const base = ping?.replace(/\/+$/, '');
  return {
    commands: {
      before: changedCommand('before', options.before, options.beforeTimeout, commands.before),
      after: changedCommand('after', options.after, options.afterTimeout, commands.after),
    },
    pings: {
      ...(options.pings ? pings : {}),
      ...(base === undefined ? {} : { start: `${base}/start`, success: base, fail: `${base}/fail` }),
      ...(pingStart === undefined ? {} : { start: pingStart }),
      ...(pingSuccess === undefined ? {} : { success: pingSuccess }),
      ...(pingFail === undefined ? {} : { fail: pingFail }),
    },
  };
}

function changedCommand(
  which: 'before' | 'after',
  line: string | boolean | undefined,
  timeoutSeconds: number | undefined,
  current: SetHooks['commands']['before'],
): SetHooks['commands']['before'] {
  if (line === false) return undefined;
  const kept = typeof line === 'string' ? { line } : current;
  if (timeoutSeconds === undefined) return kept;
  if (!kept) throw wrongUsage({ problem: 'options', message: `--${which}-timeout needs --${which}.` });
  return { ...kept, timeoutSeconds };
}

function shown(name: string, { commands, pings, results, lastCounts }: SetHooks): Outcome {
  const json = {
    name,
    before: commandJson(commands.before, results.before, lastCounts.includes('before')),
    after: commandJson(commands.after, results.after, lastCounts.includes('after')),
    pings: {
      start: pingJson(pings.start, results.start),
      success: pingJson(pings.success, results.success),
      fail: pingJson(pings.fail, results.fail),
    },
  };
  const rows = [
    ['Before', commandText(commands.before), resultText(results.before)],
    ['After', commandText(commands.after), resultText(results.after)],
    ['Ping at start', printable(pings.start ?? 'none'), pingText(results.start)],
    ['Ping on success', printable(pings.success ?? 'none'), pingText(results.success)],
    ['Ping on failure', printable(pings.fail ?? 'none'), pingText(results.fail)],
  ];
  return outcome(json, [
    ...alignColumns([['', 'COMMAND OR ADDRESS', 'LAST'], ...rows]),
    ...lastCounts.map(
      (kind) =>
        `No shell here tells that a part of a pipeline failed: the command ${kind} succeeds if its last program does.`,
    ),
    ...outputLines('before', results.before),
    ...outputLines('after', results.after),
  ]);
}

function commandJson(
  command: SetHooks['commands']['before'],
  result: Result | undefined,
  lastCounts: boolean,
): object | null {
  if (!command && !result) return null;
  return {
    command: command?.line ?? null,
    timeout_seconds: command?.timeoutSeconds ?? null,
    ...(lastCounts ? { last_program_counts: true } : {}),
    last: result
      ? {
          started_at: new Date(result.startedAt).toISOString(),
          seconds: result.seconds,
          end: result.end,
          exit_code: result.exitCode ?? null,
          output: result.output,
        }
      : null,
  };
}

function pingJson(address: string | undefined, result: PingResult | undefined): object | null {
  if (address === undefined && !result) return null;
  return {
    url: address ?? null,
    last: result
      ? {
          at: new Date(result.at).toISOString(),
          delivered: result.isDelivered,
          attempts: result.attempts,
          status: result.status ?? null,
        }
      : null,
  };
}

function commandText(command: SetHooks['commands']['before']): string {
  if (!command) return 'none';
  const limit = command.timeoutSeconds === undefined ? '' : ` (at most ${durationText(command.timeoutSeconds)})`;
  return `${printable(command.line)}${limit}`;
}

function resultText(result: Result | undefined): string {
  if (!result) return '';
  const ends = {
    exited: `exit code ${result.exitCode ?? 0}`,
    killed: 'ended by a signal',
    timeout: 'took too long and was ended',
    stopped: 'stopped',
    'not-started': 'cannot be started',
  };
  return `${timeText(result.startedAt)}: ${ends[result.end]}, ${durationText(result.seconds)}`;
}

function pingText(result: PingResult | undefined): string {
  if (!result) return '';
  const status = result.status === undefined ? 'no answer' : `status ${result.status}`;
  return `${timeText(result.at)}: ${result.isDelivered ? 'delivered' : 'not delivered'}, ${status}`;
}

function outputLines(which: string, result: Result | undefined): string[] {
  if (!result || result.output.trim() === '') return [];
  return [
    '',
    `The command ${which} wrote:`,
    ...result.output
      .trimEnd()
      .split('\n')
      .map((line) => `  ${printable(line)}`),
  ];
}
