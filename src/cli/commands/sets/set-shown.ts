import type { ConfiguredSet } from '../../../model/set.ts';
import { printable } from '../../text.ts';

/** A set in the JSON output; missing values are null. */
export function setJson(set: ConfiguredSet): object {
  const { conditions, limits, verification } = set;
  const hours = limits?.hours;
  return {
    name: set.name,
    paths: set.roots,
    excludes: set.excludes,
    presets: set.presets,
    one_file_system: set.oneFileSystem,
    optional_paths: set.optionalRoots ?? [],
    private_names: set.privateNames,
    compression: set.compression ?? 'default',
    schedule: set.schedule ?? null,
    conditions: {
      on_mains: conditions?.onlyOnMains ?? false,
      battery_at_least: conditions?.batteryAtLeast ?? null,
      not_metered: conditions?.notMetered ?? false,
      networks: conditions?.networks ?? [],
    },
    limits: {
      upload_kib: limits?.uploadKiB ?? null,
      download_kib: limits?.downloadKiB ?? null,
      hours: hours ? `${timeOfDay(hours.from)}-${timeOfDay(hours.to)}` : null,
      priority: limits?.priority ?? null,
    },
    verification: verification
      ? { every_days: verification.everyDays, sample_percent: verification.samplePercent }
      : null,
    drill: set.drill ? { every_days: set.drill.everyDays } : null,
    online_files: set.onlineFiles ?? 'skip',
    pings: { start: set.pings?.start ?? null, success: set.pings?.success ?? null, fail: set.pings?.fail ?? null },
  };
}

export function conditionsText({ conditions }: ConfiguredSet): string {
  const { onlyOnMains, batteryAtLeast, notMetered, networks = [] } = conditions ?? {};
  return listOf([
    onlyOnMains ? 'on mains power' : undefined,
    batteryAtLeast === undefined ? undefined : `battery at least ${batteryAtLeast} %`,
    notMetered ? 'no metered network' : undefined,
    networks.length === 0 ? undefined : `over ${networks.map(printable).join(' or ')}`,
  ]);
}

export function limitsText({ limits }: ConfiguredSet): string {
  const { uploadKiB, downloadKiB, hours, priority } = limits ?? {};
  return listOf([
    uploadKiB === undefined ? undefined : `upload ${uploadKiB} KiB/s`,
    downloadKiB === undefined ? undefined : `download ${downloadKiB} KiB/s`,
    hours === undefined ? undefined : `from ${timeOfDay(hours.from)} to ${timeOfDay(hours.to)}`,
    priority === undefined ? undefined : `priority ${priority}`,
  ]);
}

export function verificationText({ verification }: ConfiguredSet): string {
  if (!verification) return 'none';
  const { everyDays, samplePercent } = verification;
  return `${samplePercent} % every ${everyDays === 1 ? 'day' : `${everyDays} days`}`;
}

export function drillText({ drill }: ConfiguredSet): string {
  if (!drill) return 'none';
  return drill.everyDays === 1 ? 'every day' : `every ${drill.everyDays} days`;
}

export function hooksText({ hooks, pings }: ConfiguredSet): string {
  return listOf([
    hooks?.before ? 'a command before' : undefined,
    hooks?.after ? 'a command after' : undefined,
    pings ? 'pings' : undefined,
  ]);
}

function listOf(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(', ') || 'none';
}

function timeOfDay(minutes: number): string {
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
