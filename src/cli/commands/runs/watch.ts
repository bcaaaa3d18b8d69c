import type { BackupResult } from '../../../agent/operations/backup/backup-result.ts';
import type { WatchLimitation } from '../../../archive/scan/watch/change-watcher.ts';
import type { WatchOptions } from '../../../agent/operations/watch.ts';
import { wrongUsage } from '../../../base/errors/errors.ts';
import { failureOf } from '../../../base/errors/failure.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import type { CommandContext } from '../../runner.ts';
import { durationText } from '../../text.ts';

/** The options of `backup --watch`, in seconds. */
export interface WatchWords {
  readonly watch?: boolean;
  readonly quietSeconds?: number;
  readonly intervalSeconds?: number;
}

const QUIET_SECONDS = 60;
const INTERVAL_SECONDS = 300;

/** @throws HoldfastError `usage` if options contradict each other */
export function checkWatchWords(words: WatchWords, json: boolean, dryRun: boolean): void {
  const { watch = false, quietSeconds, intervalSeconds } = words;
  if (watch && json) {
    const message = '--json prints one object, and --watch would print one for each run. Use --progress json instead.';
    throw wrongUsage({ problem: 'watch', message });
  }
  if (watch && dryRun) throw wrongUsage({ problem: 'watch', message: '--dry-run cannot be used with --watch.' });
  if (!watch && (quietSeconds !== undefined || intervalSeconds !== undefined)) {
    throw wrongUsage({ problem: 'watch', message: '--quiet-seconds and --interval-seconds require --watch.' });
  }
}

/** Runs until it is interrupted, which is its only end and counts as success. */
export async function watchUntilInterrupted(
  context: CommandContext,
  name: string,
  options: Omit<WatchOptions, 'set' | 'pace'> & WatchWords,
  outcomeOf: (report: BackupResult) => Outcome,
): Promise<Outcome> {
  const { output, signal } = context;
  const agent = await context.agent();
  const progress = await context.progress();
  const { quietSeconds = QUIET_SECONDS, intervalSeconds = INTERVAL_SECONDS } = options;
  const pace = { quiet: quietSeconds * 1000, interval: intervalSeconds * 1000 };
  let reported: WatchLimitation | undefined;
  const observer = {
    onProgress: (state: Parameters<typeof progress.show>[0]) => progress.show(state),
    async onReport(report: BackupResult, trouble: WatchLimitation | undefined) {
      progress.end();
      await output.show(outcomeOf(report));
      if (trouble !== undefined && trouble !== reported) output.note(`warning: ${TROUBLE_TEXTS[trouble]}`);
      reported = trouble;
    },
    onFailure(error: Error) {
      progress.end();
      const failure = failureOf(error);
      if (failure) output.showFailure(failure);
    },
  };
  output.note(`Watching ${name}: a run once nothing has changed for ${durationText(quietSeconds)}. Ctrl-C ends it.`);
  await agent.watch({ ...options, set: name, pace }, { observer, signal });
  progress.end();
  return outcome({}, [`No longer watching ${name}.`]);
}

const EVERY = 'Not all of its folders can be watched, so there is also a run every 15 minutes:';

const TROUBLE_TEXTS: Readonly<Record<WatchLimitation, string>> = {
  'watch-limit': `${EVERY} the system's limit (fs.inotify.max_user_watches) is reached.`,
  'open-files-limit': `${EVERY} the system's limit of open files is reached.`,
  'too-many-folders': `${EVERY} there are too many.`,
};
