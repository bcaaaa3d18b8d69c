import { HoldfastError } from '../../base/errors/errors.ts';
import { Catalog } from '../../catalog/catalog.ts';
import type { BackupReport } from '../../archive/backup/types.ts';
import type { RunWarning } from '../../jobs/run-warning.ts';
import type { ConfiguredSet, HookCommand, Pings } from '../../model/set.ts';
import type { CommandResult } from '../../ipc/contract/hooks.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import { HookResultsFile } from './hook-results.ts';
import { environmentOf, outcomeOf, summaryOf, type HookedEnd, type HookedResult } from './outcome.ts';
import { sendPing } from './ping.ts';
import { addPing, pingsGivenUp } from './pings-under-way.ts';
import { DEFAULT_TIMEOUT_SECONDS, runCommand } from './run-command.ts';

type Parts = Pick<AgentParts, 'home' | 'clock' | 'environment'>;

/** A line for each set whose command this process was started by, however many processes ago. */
const STARTED_BY = 'HOLDFAST_COMMANDS_OF';

/**
 * Makes a backup between the commands of its set, and sends its pings. A command that backs up its own set, also by way of another set, makes that
 * backup without commands and pings: it would start itself without end.
 *
 * @throws HoldfastError `command_failed` if the command before it failed: no backup was made; and what `backUp` throws
 */
export async function withHooks<Result extends HookedResult>(
  { hooks = {}, pings = {}, name }: Pick<ConfiguredSet, 'hooks' | 'pings' | 'name'>,
  parts: Parts,
  signal: AbortSignal | undefined,
  backUp: () => Promise<Result>,
): Promise<Result> {
  const own = JSON.stringify([parts.home.folder, name]);
  const startedBy = parts.environment[STARTED_BY]?.split('\n') ?? [];
  if (startedBy.includes(own)) return await backUp();
  const chain = { [STARTED_BY]: [...startedBy, own].join('\n') };
  const results = new HookResultsFile(parts.home);
  const sender = new Sender(name, pings, parts, results);
  const startedAt = parts.clock.now();
  sender.send('start', `set: ${name}\n`);
  const end = await endOf<Result>(async () => {
    if (hooks.before) {
      const before = await runCommand(hooks.before, { HOLDFAST_SET: name, ...chain }, { ...parts, signal });
      results.record(name, { before });
      refuseFailed(before, hooks.before);
    }
    return await backUp();
  });
  let after: CommandResult | undefined;
  if (hooks.after) {
    after = await runCommand(hooks.after, { ...environmentOf(name, end), ...chain }, parts);
    results.record(name, { after });
  }
  const warning = after && !isSuccess(after) ? ({ path: name, reason: 'after-command' } as const) : undefined;
  const told = end.result && warning ? { result: withWarning(end.result, warning) } : end;
  sender.sendEnd(told);
  if (!told.result) throw told.error;
  if (warning) recordWarning(parts, name, startedAt, warning);
  return told.result;
}

async function endOf<Result extends HookedResult>(
  run: () => Promise<Result>,
): Promise<HookedEnd & ({ readonly result: Result } | { readonly result?: undefined; readonly error: unknown })> {
  try {
    return { result: await run() };
  } catch (error) {
    return { error };
  }
}

/** @throws HoldfastError `command_failed`, `interrupted` */
function refuseFailed(result: CommandResult, { timeoutSeconds = DEFAULT_TIMEOUT_SECONDS }: HookCommand): void {
  if (isSuccess(result)) return;
  const { end, exitCode, seconds } = result;
  if (end === 'stopped') throw new HoldfastError('interrupted');
  throw new HoldfastError('command_failed', {
    ...(end === 'timeout' || end === 'not-started' ? { problem: end } : {}),
    ...(exitCode === undefined ? {} : { exitCode }),
    // Ending a command may take some seconds more than it had.
    seconds: end === 'timeout' ? timeoutSeconds : Math.round(seconds),
  });
}

function isSuccess({ end, exitCode }: CommandResult): boolean {
  return end === 'exited' && exitCode === 0;
}

/** Adds a warning to what Activity and Home say of the run, which was recorded before the command. */
function recordWarning({ home, clock }: Parts, set: string, since: number, warning: RunWarning): void {
  try {
    using catalog = new Catalog(home.catalogFile);
    catalog.journal.addWarning(set, since, warning, clock.now());
  } catch {
    // Another program writes for long, or the disk is full: the set still has the result of its command.
  }
}

/** Adds a warning to the report of each destination. */
function withWarning<Result extends HookedResult>(result: Result, warning: RunWarning): Result {
  const warned = <Report extends BackupReport>(report: Report): Report =>
    Object.assign({}, report, { warnings: [...report.warnings, warning] });
  const destinations = result.destinations?.map((one) =>
    one.report ? Object.assign({}, one, { report: warned(one.report) }) : one,
  );
  return { ...warned(result), ...(destinations && { destinations }) };
}

/** Sends the pings of one run in their order, beside it. */
class Sender {
  readonly #set: string;
  readonly #pings: Pings;
  readonly #parts: Parts;
  readonly #results: HookResultsFile;
  #last: Promise<void> = Promise.resolve();

  constructor(set: string, pings: Pings, parts: Parts, results: HookResultsFile) {
    this.#set = set;
    this.#pings = pings;
    this.#parts = parts;
    this.#results = results;
  }

  send(kind: keyof Pings, text: string): void {
    const url = this.#pings[kind];
    if (url === undefined) return;
    const sending = this.#last.then(() => this.#deliver(kind, url, text));
    this.#last = sending;
    addPing(sending);
  }

  sendEnd(end: HookedEnd): void {
    const outcome = outcomeOf(end);
    this.send(outcome === 'success' || outcome === 'warnings' ? 'success' : 'fail', summaryOf(this.#set, end));
  }

  async #deliver(kind: keyof Pings, url: string, text: string): Promise<void> {
    const { clock, environment } = this.#parts;
    // Most runs send no ping, and loading the module takes as long as a tenth of a short run.
    const { UndiciHttp } = await import('../../remote/http/undici-http.ts');
    const http = new UndiciHttp(environment);
    try {
      this.#results.record(this.#set, { [kind]: await sendPing(url, text, { http, clock, signal: pingsGivenUp }) });
    } finally {
      await http.close().catch(() => undefined);
    }
  }
}
