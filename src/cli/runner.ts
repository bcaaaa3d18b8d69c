import type { Agent } from '../agent/agent.ts';
import { giveUpPings, pingsSent } from '../agent/hooks/pings-under-way.ts';
import { failureOf } from '../base/errors/failure.ts';
import { homeAt, homeFolder, type Home } from '../agent/home/home.ts';
import { Doubts } from './doubts.ts';
import { exitCodeOf, type ExitCode } from './exit-code.ts';
import { Interruption } from './interruption.ts';
import type { Outcome } from './outcome.ts';
import { Output, type Streams } from './output.ts';
import type { ProgressReporter } from './progress/progress-text.ts';
import { MINUTE } from '../model/units.ts';

/** The options of every command, before or after its name. */
export interface GlobalOptions {
  readonly home?: string;
  readonly json?: boolean;
  readonly progress?: 'json';
}

/** The context of a command. Heavy parts are loaded on first use. */
export interface CommandContext {
  readonly home: Home;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly output: Output;
  /** Disposed of when the outcome is shown. */
  readonly untilReported: DisposableStack;
  /** @param destination the name of the one that operations use. @throws HoldfastError `destination_unknown` */
  agent(destination?: string): Promise<Agent>;
  progress(): Promise<ProgressReporter>;
}

export type Action = (context: CommandContext) => Promise<Outcome>;

/**
 * Runs the action of a command; its outcome becomes the exit code.
 *
 * @param stopping what the first interruption answers
 */
export type Run = (options: GlobalOptions, action: Action, stopping?: string) => Promise<void>;

const STOPPING = 'Stopping after the current transfers; interrupt again to stop at once.';

/** Addresses that are told about backups may answer late, or not at all. */
const WAITING = 'Waiting for the answers to pings; interrupt to end without them.';
const WAITING_MS = 2000;

export interface RunnerResult {
  exitCode: ExitCode;
}

/** Runs one action from its options to its exit code, and catches everything that it throws. */
export function createRunner(streams: Streams, environment: NodeJS.ProcessEnv, result: RunnerResult): Run {
  return async (options, action, stopping = STOPPING) => {
    const doubts = new Doubts();
    const output = new Output(streams, options.json === true, () => doubts.warnings);
    using interruption = new Interruption(
      () => output.note(stopping),
      () => output.endAtOnce(),
    );
    const { signal } = interruption;
    await using resources = new AsyncDisposableStack();
    try {
      const outcome = await action(contextOf(options, output, { environment, signal, resources, doubts }));
      await output.show(outcome);
      const { exitCode = 0 } = outcome;
      result.exitCode = exitCode === 0 && doubts.warnings.length > 0 ? 3 : exitCode;
    } catch (error) {
      result.exitCode = showError(error, output, environment, { signal, doubts });
    }
    await untilPingsAreSent(output, signal);
  };
}

/** Waits for pings until the first interruption, if the run was not interrupted itself. */
async function untilPingsAreSent(output: Output, signal: AbortSignal): Promise<void> {
  const note = setTimeout(() => output.note(WAITING), WAITING_MS);
  signal.addEventListener('abort', giveUpPings, { once: true });
  await pingsSent();
  clearTimeout(note);
}

/** What one run of a command has. */
interface RunParts {
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly resources: AsyncDisposableStack;
  readonly doubts: Doubts;
}

function contextOf(
  options: GlobalOptions,
  output: Output,
  { environment, signal, resources, doubts }: RunParts,
): CommandContext {
  const findHome = (): Home => homeAt(homeFolder(options.home, environment));
  return {
    // A command that needs none, such as those of the service, runs without a place for it.
    get home() {
      return findHome();
    },
    environment,
    signal,
    output,
    untilReported: resources.use(new DisposableStack()),
    async agent(destination) {
      const { openAgent } = await import('../agent/open-agent.ts');
      const onSkew = (skewMs: number): void => {
        if (skewMs !== 0) output.note(skewText(skewMs));
      };
      return openAgent({ home: findHome(), environment, onSkew, onDoubt: doubts.add, onListed: doubts.addListed }).at(
        destination,
      );
    },
    async progress() {
      const { progressReporter } = await import('./progress/progress-reporter.ts');
      const reporter = await progressReporter(output, options.progress);
      resources.defer(() => reporter.end());
      return reporter;
    },
  };
}

function showError(
  error: unknown,
  output: Output,
  environment: NodeJS.ProcessEnv,
  { signal, doubts }: Pick<RunParts, 'signal' | 'doubts'>,
): ExitCode {
  const failure = failureOf(error);
  // Errors after an interruption are irrelevant.
  if (signal.aborted) output.showInterruption();
  else if (failure) output.showFailure(failure);
  else output.showBug(error, environment);
  if (failure && environment['HOLDFAST_DEBUG'] === '1' && error instanceof Error) {
    output.streams.error.write(`${error.stack}\n${error.cause instanceof Error ? error.cause.stack : ''}\n`);
  }
  if (signal.aborted) return 130;
  const exitCode = failure ? exitCodeOf(failure.code) : 1;
  // What a destination does not list may be there: whoever asked for it was not wrong.
  return exitCode === 2 && doubts.warnings.length > 0 ? 1 : exitCode;
}

function skewText(skewMs: number): string {
  const minutes = Math.round(Math.abs(skewMs) / MINUTE);
  const way = skewMs > 0 ? 'behind' : 'ahead of';
  return `This computer's clock is ${way} the service's by about ${minutes} min; the service's time is used.`;
}
