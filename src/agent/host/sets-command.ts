import { defaultPresets } from '../../engine/scan/presets.ts';
import type { SetForm } from '../../ipc/sets.ts';

/** The command line that makes a set of this form, for the shell of an operating system. */
export function setCommandLine(form: SetForm, platform: NodeJS.Platform = process.platform): string {
  const quote = platform === 'win32' ? quotedForWindows : quotedForShell;
  return ['holdfast', 'set', 'add', ...wordsOf(form, platform)].map(quote).join(' ');
}

function wordsOf(form: SetForm, platform: NodeJS.Platform): string[] {
  const { name, roots, excludes, schedule, oneFileSystem, privateNames, conditions, limits, verification } = form;
  const { hours } = limits;
  const kib = (rate: number | undefined): string | undefined => (rate === undefined ? undefined : `${rate}K`);
  return [
    ...excludes.flatMap((pattern) => option('--exclude', pattern)),
    ...presetWords(form.presets, platform),
    ...(schedule === 'manual' ? [] : option('--schedule', schedule)),
    ...(oneFileSystem ? ['--one-file-system'] : []),
    ...(privateNames ? ['--private-names'] : []),
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
    // Behind all options, since a name may look like one.
    ...(name.startsWith('-') ? ['--'] : []),
    name,
    ...roots,
  ];
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

/** POSIX shells: single quotes keep everything but themselves. */
function quotedForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** PowerShell: single quotes keep everything but themselves, which are doubled. */
function quotedForWindows(word: string): string {
  return /^[\w+=:./\\-]+$/.test(word) ? word : `'${word.replaceAll("'", "''")}'`;
}
