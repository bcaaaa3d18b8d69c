import { Command } from 'commander';
import type {
  AgentStatus,
  DestinationStatus,
  DrillStatus,
  RunStatus,
  SetStatus,
} from '../../agent/operations/status.ts';
import type { KnownLosses } from '../../agent/history/set-history.ts';
import { timeOfPoint } from '../../base/point-time.ts';
import { locationOf } from '../../agent/home/destination-location.ts';
import { outcome } from '../outcome.ts';
import type { GlobalOptions, Run } from '../runner.ts';
import { alarmJson, signsText } from './alarm.ts';
import { alignColumns } from '../columns.ts';
import { countText, printable, shellWord, timeText } from '../text.ts';

export function statusCommand(run: Run): Command {
  return new Command('status')
    .summary('show the state of this home')
    .description('Shows the destination, the device and the sets of this home, from local data.')
    .action((_options: unknown, command: Command) =>
      run(command.optsWithGlobals<GlobalOptions>(), async (context) => {
        const status = await (await context.agent()).status();
        return outcome(statusJson(status), statusLines(status));
      }),
    );
}

function statusJson(status: AgentStatus): object {
  const { destination, busy } = status;
  return {
    home: status.home,
    destination: destinationJson(destination),
    device: status.device,
    keys: status.secrets,
    busy:
      busy === undefined ? null : { pid: busy.pid ?? null, command: busy.command ?? null, since: busy.since ?? null },
    sets: status.sets.map(setStatusJson),
    destinations: status.destinations.map(destinationStatusJson),
  };
}

export function destinationStatusJson({ entry, damageFoundAt, heldSince, losses, sets }: DestinationStatus): object {
  const { id, name, destination, schedule, deviceId, deviceName } = entry;
  return {
    id,
    name,
    ...destinationJson(destination),
    location: locationOf(destination),
    schedule: schedule ?? null,
    device: { id: deviceId, name: deviceName },
    damage_found_at: isoOf(damageFoundAt),
    removals_held_since: isoOf(heldSince),
    lost_files: losses?.files ?? 0,
    lost_points: losses?.points ?? 0,
    sets: sets.map(setStatusJson),
  };
}

function destinationJson(destination: AgentStatus['destination']): object {
  switch (destination.kind) {
    case 'folder':
      return { kind: 'folder', directory: destination.directory };
    case 'bucket': {
      const { address, endpoint, region } = destination;
      return { kind: 'bucket', address, endpoint: endpoint ?? null, region };
    }
    case 'sftp': {
      const { host, port = 22, user, path, hostKey } = destination;
      return { kind: 'sftp', address: locationOf(destination), host, port, user, path, host_key: hostKey };
    }
    case 'webdav':
      return { kind: 'webdav', url: destination.url, user: destination.user ?? null };
    case 'rclone':
      return { kind: 'rclone', remote: destination.remote };
    case 'service':
      return { kind: 'service', url: destination.url, sign_in: destination.signIn.kind };
  }
}

function setStatusJson({
  set,
  lastRun,
  lastRestorePoint,
  resumable,
  lastDrill,
  damageFoundAt,
  alarm,
}: SetStatus): object {
  return {
    name: set.name,
    schedule: set.schedule ?? null,
    last_run: lastRun === undefined ? null : runJson(lastRun),
    last_restore_point: lastRestorePoint?.restore_point ?? null,
    ...(lastRestorePoint?.completed_at === undefined ? {} : { last_completed_at: lastRestorePoint.completed_at }),
    resumable,
    last_drill: lastDrill === undefined ? null : drillJson(lastDrill),
    damage_found_at: isoOf(damageFoundAt),
    alarm: alarmJson(alarm),
  };
}

function isoOf(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}

function drillJson({ at, restorePoint, files, bytes, failures }: DrillStatus): object {
  return {
    ended_at: new Date(at).toISOString(),
    result: failures === 0 ? 'passed' : 'failed',
    restore_point: restorePoint,
    files_compared: files,
    bytes_restored: bytes,
    failures_total: failures,
  };
}

function runJson({ state, startedAt, endedAt, warnings, foundDamage, error }: RunStatus): object {
  return {
    state,
    started_at: new Date(startedAt).toISOString(),
    ended_at: isoOf(endedAt),
    warnings,
    destination_damaged: foundDamage,
    error: error ?? null,
  };
}

function statusLines(status: AgentStatus): string[] {
  const { destination, device, busy, destinations } = status;
  const isSole = destinations.length === 1;
  const rows = [
    ...(isSole ? [['Destination', locationOf(destination)], deviceRow(device)] : []),
    ['Home', status.home],
    [
      'Keys',
      status.secrets === 'file' ? 'in a file that only you can read; no keychain is used' : "in the system's keychain",
    ],
    ...(busy === undefined ? [] : [['Busy', `${busy.command ?? 'unknown'}, process ${busy.pid ?? 'unknown'}`]]),
  ];
  return [
    ...alignColumns(rows),
    ...(isSole
      ? []
      : ['', ...alignColumns([['DESTINATION', 'LOCATION', 'DEVICE'], ...destinations.map(destinationRow)])]),
    '',
    ...(status.sets.length === 0
      ? ['There is no backup set yet. Create one with: holdfast set add NAME PATH...']
      : isSole
        ? alignColumns([['SET', 'LAST RESTORE POINT', 'LAST RUN'], ...status.sets.map(setRow)])
        : alignColumns([['SET', 'DESTINATION', 'LAST RESTORE POINT', 'LAST RUN'], ...rowsOfSets(status)])),
    ...drillLines(status),
    ...foundLines(status),
    ...alarmLines(status),
    ...fullLines(status),
  ];
}

/** What checks, repairs and verifications have found at each destination. A check says more than a verification of one set. */
function foundLines({ destinations }: AgentStatus): string[] {
  const lines = destinations.flatMap(({ entry, damageFoundAt, losses, sets }) => {
    const [place, option] =
      destinations.length === 1
        ? ['the destination', '']
        : [printable(entry.name), ` --destination ${shellWord(entry.name)}`];
    const found = (what: string, at: number, command: string): string =>
      `Damage found ${what}, ${timeText(at)}: holdfast ${command}${option}`;
    if (damageFoundAt !== undefined) return [found(`at ${place}`, damageFoundAt, 'repair')];
    return [
      ...sets.flatMap(({ set, damageFoundAt: at }) =>
        at === undefined ? [] : [found(`in ${printable(set.name)} at ${place}`, at, 'check')],
      ),
      ...(losses ? [`Lost at ${place}, as of ${timeText(losses.at)}: ${lostText(losses)}`] : []),
    ];
  });
  return lines.length === 0 ? [] : ['', ...lines];
}

/** What nobody has dismissed yet. A hold that is due to a set of another computer is named, too. */
function alarmLines({ destinations }: AgentStatus): string[] {
  const lines = destinations.flatMap(({ entry, heldSince, sets }) => {
    const place = destinations.length === 1 ? undefined : entry.name;
    if (heldSince === undefined) return [];
    const at = place === undefined ? '' : ` at ${printable(place)}`;
    const since = `Nothing has been removed${at} since ${timeText(heldSince)}: a backup showed signs of ransomware.`;
    const own = sets.flatMap(({ set: { name }, alarm }) =>
      alarm ? [`${printable(name)}: a run of ${timeText(alarm.since)} ${signsText(name, alarm.reasons, place)}`] : [],
    );
    return own.length > 0 ? own : [since];
  });
  return lines.length === 0 ? [] : ['', ...lines];
}

/** The destinations at which the newest backup of a set found no room. A service frees space by itself. */
function fullLines({ destinations }: AgentStatus): string[] {
  const lines = destinations
    .filter(({ entry }) => entry.destination.kind !== 'service')
    .filter(({ sets }) => sets.some(({ lastRun }) => lastRun?.error === 'destination_full'))
    .map(({ entry: { name } }) =>
      destinations.length === 1
        ? 'The destination is full. Free what nobody needs with: holdfast free'
        : `${printable(name)} is full. Free what nobody needs with: holdfast free --destination ${shellWord(name)}`,
    );
  return lines.length === 0 ? [] : ['', ...lines];
}

function lostText({ files, points }: KnownLosses): string {
  const lost = [
    ...(files > 0 ? [countText(files, 'file')] : []),
    ...(points > 0 ? [countText(points, 'restore point')] : []),
  ];
  return lost.join(' and ');
}

/** Of each set the newest test restore at any destination. */
function drillLines({ destinations, sets }: AgentStatus): string[] {
  const rows = sets.flatMap(({ set }, index) => {
    const drills = destinations.flatMap((at) => at.sets[index]?.lastDrill ?? []);
    const [last] = drills.toSorted((one, other) => other.at - one.at);
    return last ? [[printable(set.name), timeText(last.at), drillText(last)]] : [];
  });
  return rows.length === 0 ? [] : ['', ...alignColumns([['SET', 'LAST DRILL', 'RESULT'], ...rows])];
}

function drillText({ files, failures }: DrillStatus): string {
  return failures === 0
    ? `passed: ${countText(files, 'file')} compared`
    : `FAILED: ${countText(failures, 'file')} not as backed up; see holdfast drill`;
}

function deviceRow({ id, name }: AgentStatus['device']): string[] {
  return ['Device', `${id} (${printable(name)})`];
}

function destinationRow({ entry }: DestinationStatus): string[] {
  return [printable(entry.name), locationOf(entry.destination), entry.deviceId];
}

/** The destinations of each set, one below the other. */
function rowsOfSets({ sets, destinations }: AgentStatus): string[][] {
  return sets.flatMap((_set, index) =>
    destinations.map(({ entry, sets: there }) => {
      const [set = '', ...rest] = setRow(there[index]!);
      return [set, printable(entry.name), ...rest];
    }),
  );
}

function setRow({ set, lastRun, lastRestorePoint }: SetStatus): string[] {
  return [
    printable(set.name),
    lastRestorePoint === undefined ? 'none' : timeText(timeOfPoint(lastRestorePoint)),
    lastRun === undefined ? 'never' : runText(lastRun),
  ];
}

const DAMAGED = '; the destination is damaged or older than before: holdfast check';

function runText({ state, startedAt, endedAt, warnings, foundDamage, error }: RunStatus): string {
  const when = timeText(endedAt ?? startedAt);
  switch (state) {
    case 'succeeded':
      return `succeeded ${when}`;
    case 'succeeded-with-warnings':
      return `succeeded ${when}, with ${countText(warnings, 'warning')}${foundDamage ? DAMAGED : ''}`;
    case 'failed':
      return `failed ${when}${error === undefined ? '' : `: ${error}`}`;
    case 'interrupted':
      return `interrupted ${when}; the next run continues it`;
    case 'cancelled':
      return `stopped ${when}; the next run continues it`;
    default:
      return `${state}, since ${timeText(startedAt)}`;
  }
}
