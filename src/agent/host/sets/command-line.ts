import { defaultPresets } from '../../../archive/scan/presets/presets.ts';
import type { RetentionForm } from '../../../ipc/contract/sets.ts';
import type { SetForm } from '../../../model/set.ts';

/** Returns the command line that adds this set, for the shell of an operating system. */
export function setCommandLine(form: SetForm, platform: NodeJS.Platform = process.platform): string {
  return commandLine(['set', 'add', ...wordsOf(form, platform)], platform);
}

/** Returns the command line that sets a retention policy. It fails before the first backup of the set. */
export function retentionCommandLine(
  set: string,
  policy: RetentionForm,
  platform: NodeJS.Platform = process.platform,
): string {
  const { keepAllDays, hourly, daily, weekly, monthly, yearly } = policy;
  const steps = [
    ...option('--keep-all-days', keepAllDays || undefined),
    ...option('--hourly', hourly || undefined),
    ...option('--daily', daily || undefined),
    ...option('--weekly', weekly || undefined),
    ...option('--monthly', monthly || undefined),
    ...option('--yearly', yearly || undefined),
  ];
  const options = steps.length === 0 ? ['--keep-everything'] : steps;
  return commandLine(['retention', 'set', ...options, ...nameWords(set)], platform);
}

function commandLine(words: readonly string[], platform: NodeJS.Platform): string {
  const quote = platform === 'win32' ? quotedForWindows : quotedForShell;
  return ['holdfast', ...words].map(quote).join(' ');
}

function wordsOf(form: SetForm, platform: NodeJS.Platform): string[] {
  const { name, roots, excludes, schedule, oneFileSystem, privateNames, compression, optionalRoots = [] } = form;
  const { conditions = {}, limits = {}, verification, drill, onlineFiles, pings = {} } = form;
  // The command refuses hours without a limit.
  const hours = limits.uploadKiB === undefined && limits.downloadKiB === undefined ? undefined : limits.hours;
  const kib = (rate: number | undefined): string | undefined => (rate === undefined ? undefined : `${rate}K`);
  return [
    ...excludes.flatMap((pattern) => option('--exclude', pattern)),
    ...presetWords(form.presets, platform),
    ...(schedule === 'manual' ? [] : option('--schedule', schedule)),
    ...(oneFileSystem ? ['--one-file-system'] : []),
    ...optionalRoots.flatMap((root) => option('--optional', root)),
    ...(privateNames ? ['--private-names'] : []),
    ...option('--compression', compression),
    ...(conditions.onlyOnMains ? ['--on-mains'] : []),
    ...option('--battery-at-least', conditions.batteryAtLeast),
    ...(conditions.notMetered ? ['--not-metered'] : []),
    ...(conditions.networks ?? []).flatMap((network) => option('--network', network)),
    ...option('--limit-upload', kib(limits.uploadKiB)),
    ...option('--limit-download', kib(limits.downloadKiB)),
    ...option('--limit-hours', hours && `${timeOfDay(hours.from)}-${timeOfDay(hours.to)}`),
    ...option('--priority', limits.priority),
    ...option('--verify-every', verification?.everyDays),
    ...option('--verify-sample', verification?.samplePercent),
    ...option('--drill-every', drill?.everyDays),
    ...option('--online-files', onlineFiles),
    ...option('--ping-start', pings.start),
    ...option('--ping-success', pings.success),
    ...option('--ping-fail', pings.fail),
    ...nameWords(name),
    ...roots,
  ];
}

/** Follows all options, since a name may look like one. */
function nameWords(name: string): string[] {
  return name.startsWith('-') ? ['--', name] : [name];
}

function presetWords(presets: readonly string[], platform: NodeJS.Platform): string[] {
  if (presets.join('\0') === defaultPresets(platform).join('\0')) return [];
  return presets.length === 0 ? ['--no-presets'] : presets.flatMap((preset) => option('--preset', preset));
}

function option(flag: string, value: string | number | undefined): string[] {
  return value === undefined ? [] : [flag, String(value)];
}

function timeOfDay(minutes: number): string {
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** POSIX shells: single quotes quote everything but themselves. zsh expands a leading `=`. */
function quotedForShell(word: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** PowerShell: single quotes quote everything but single quotes, curly ones included, which are doubled. */
function quotedForWindows(word: string): string {
  return /^[\w+=:./\\-]+$/.test(word) ? word : `'${word.replaceAll(/['‘’‚‛]/g, '$&$&')}'`;
}
