import { Command, Option } from 'commander';
import type { Compression } from '../../../model/compression.ts';
import { wrongUsage } from '../../../base/errors/errors.ts';
import { typedPattern } from '../../../base/typed-pattern.ts';
import type { NewSet } from '../../../agent/sets/new-set.ts';
import type { AddedSet } from '../../../agent/operations/sets.ts';
import type { PriorityChoice } from '../../../os/power/priority-decision.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import type { GlobalOptions, Run } from '../../runner.ts';
import { countText, printable, shellWord } from '../../text.ts';
import { collected, compressionOption, hoursOfDay, limitOption, wholeNumber } from '../arguments.ts';
import { setJson } from './set-shown.ts';

interface Options extends GlobalOptions {
  readonly exclude: readonly string[];
  readonly preset: readonly string[];
  readonly presets: boolean;
  readonly schedule?: string;
  readonly oneFileSystem?: boolean;
  readonly optional: readonly string[];
  readonly privateNames?: boolean;
  readonly compression?: Compression;
  readonly onMains?: boolean;
  readonly batteryAtLeast?: number;
  readonly notMetered?: boolean;
  readonly network: readonly string[];
  /** Bytes per second. */
  readonly limitUpload?: number;
  readonly limitDownload?: number;
  readonly limitHours?: { readonly from: number; readonly to: number };
  readonly priority?: PriorityChoice;
  readonly verifyEvery?: number;
  readonly drillEvery?: number;
  readonly verifySample?: number;
  readonly onlineFiles?: 'skip' | 'fetch';
  readonly pingStart?: string;
  readonly pingSuccess?: string;
  readonly pingFail?: string;
}

/** The default, in percent of the chunks. */
const DEFAULT_SAMPLE = 5;

const HELP_END = `
Schedules, conditions, limits and verification are kept for the app, which runs schedules.

Examples:
  holdfast set add documents ~/Documents ~/Pictures --exclude '*.tmp'
  holdfast set add photos ~/Pictures --schedule 'daily 18:30' --on-mains --verify-every 7`;

export function addSetCommand(run: Run): Command {
  return new Command('add')
    .description('Adds a backup set. Holdfast never backs up its own home or destination, even inside these folders.')
    .argument('<name>')
    .argument('<path...>', 'folders and files')
    .option(
      '--exclude <glob>',
      'leave out what matches: a path in one of these, or a pattern in gitignore syntax; may be given several times',
      collected,
      [],
    )
    .option('--preset <name>', "a list of well-known caches and the like, in place of this system's own", collected, [])
    .option('--no-presets', 'use no such list')
    .option('--schedule <spec>', '"hourly", "every 4 hours", "daily 18:30", "on change after 10 minutes" …')
    .option('--one-file-system', 'skip other disks that are mounted inside')
    .option(
      '--optional <path>',
      'one of the paths that may be missing without a warning; may be given several times',
      collected,
      [],
    )
    .option('--private-names', 'hide names from the service as well')
    .addOption(compressionOption())
    .option('--on-mains', 'no scheduled run on battery power')
    .option('--battery-at-least <percent>', 'no scheduled run below this charge', wholeNumber('a charge', 1, 100))
    .option('--not-metered', 'no scheduled run over a metered network')
    .option('--network <name>', 'scheduled runs over this network only; may be given several times', collected, [])
    .addOption(limitOption('upload'))
    .addOption(limitOption('download'))
    .option('--limit-hours <hours>', 'apply the limits at these times only: 08:00-18:30', hoursOfDay)
    .addOption(
      new Option('--priority <level>', 'how a run shares the processor with other programs').choices([
        'auto',
        'normal',
        'low',
      ]),
    )
    .option(
      '--drill-every <days>',
      'restore a sample and compare it at this interval',
      wholeNumber('a number of days', 1, 365),
    )
    .option('--verify-every <days>', 'check the stored data at this interval', wholeNumber('a number of days', 1, 365))
    .option('--verify-sample <percent>', 'the share to check each time', wholeNumber('a sample', 1, 100))
    .addOption(
      new Option(
        '--online-files <choice>',
        'files that a cloud drive keeps online: name them, or have it download them',
      ).choices(['skip', 'fetch']),
    )
    .option('--ping-start <url>', 'tell this address when a backup starts')
    .option('--ping-success <url>', 'tell this address when a backup succeeds')
    .option('--ping-fail <url>', 'tell this address when a backup fails')
    .addHelpText('after', HELP_END)
    .action((name: string, paths: string[], _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      return run(options, async (context) => {
        const form = { name, roots: paths, ...partsOf(options) };
        return addedOutcome(await (await context.agent()).addSet({ form }));
      });
    });
}

function partsOf(options: Options): Omit<NewSet, 'name' | 'roots'> {
  const { exclude, preset, schedule, compression } = options;
  const presets = options.presets ? (preset.length > 0 ? preset : undefined) : [];
  return {
    excludes: exclude.map((pattern) => typedPattern(pattern, process.platform)),
    oneFileSystem: options.oneFileSystem === true,
    ...(options.optional.length === 0 ? {} : { optionalRoots: options.optional }),
    privateNames: options.privateNames === true,
    ...(presets === undefined ? {} : { presets }),
    ...(schedule === undefined ? {} : { schedule }),
    ...(compression === undefined ? {} : { compression }),
    ...conditionsOf(options),
    ...limitsOf(options),
    ...verificationOf(options),
    ...(options.drillEvery === undefined ? {} : { drill: { everyDays: options.drillEvery } }),
    ...(options.onlineFiles === undefined ? {} : { onlineFiles: options.onlineFiles }),
    pings: {
      ...(options.pingStart === undefined ? {} : { start: options.pingStart }),
      ...(options.pingSuccess === undefined ? {} : { success: options.pingSuccess }),
      ...(options.pingFail === undefined ? {} : { fail: options.pingFail }),
    },
  };
}

function conditionsOf({ onMains, batteryAtLeast, notMetered, network }: Options): Pick<NewSet, 'conditions'> {
  const conditions = {
    ...(batteryAtLeast === undefined ? {} : { batteryAtLeast }),
    ...(onMains ? { onlyOnMains: true } : {}),
    ...(notMetered ? { notMetered: true } : {}),
    ...(network.length === 0 ? {} : { networks: [...network] }),
  };
  return Object.keys(conditions).length === 0 ? {} : { conditions };
}

function limitsOf({ limitUpload, limitDownload, limitHours, priority }: Options): Pick<NewSet, 'limits'> {
  if (limitHours && limitUpload === undefined && limitDownload === undefined) {
    throw wrongUsage({ problem: 'options', message: '--limit-hours needs --limit-upload or --limit-download.' });
  }
  const limits = {
    ...(limitUpload === undefined ? {} : { uploadKiB: Math.floor(limitUpload / 1024) }),
    ...(limitDownload === undefined ? {} : { downloadKiB: Math.floor(limitDownload / 1024) }),
    ...(limitHours === undefined ? {} : { hours: limitHours }),
    ...(priority === undefined ? {} : { priority }),
  };
  return Object.keys(limits).length === 0 ? {} : { limits };
}

function verificationOf({ verifyEvery, verifySample }: Options): Pick<NewSet, 'verification'> {
  if (verifyEvery === undefined && verifySample === undefined) return {};
  if (verifyEvery === undefined)
    throw wrongUsage({ problem: 'options', message: '--verify-sample needs --verify-every.' });
  return { verification: { everyDays: verifyEvery, samplePercent: verifySample ?? DEFAULT_SAMPLE } };
}

function addedOutcome({ set, passedOver }: AddedSet): Outcome {
  return outcome({ ...setJson(set), passed_over: passedOver }, [
    `Added ${printable(set.name)} with ${countText(set.roots.length, 'path')}.`,
    ...passedOver.map((folder) => `${folder} belongs to Holdfast and will be skipped.`),
    '',
    `Next: holdfast backup ${shellWord(printable(set.name))}`,
  ]);
}
