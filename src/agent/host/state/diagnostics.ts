import { arch, cpus, platform, release, totalmem } from 'node:os';
import type { JobRecord } from '../../../jobs/job-record.ts';
import type { Failure } from '../../../base/errors/failure.ts';
import type { AppState, SetState } from '../../../ipc/state.ts';
import type { Need } from '../../../model/need.ts';
import type { ActiveRun } from '../../../model/run.ts';
import type { Home } from '../../home/home.ts';
import { loadSettings, type Settings } from '../../home/settings.ts';
import type { ConfiguredSet } from '../../../model/set.ts';
import type { KeyStore } from '../../key-store/key-store.ts';
import { listedRunOf, runReportOf } from '../../history/finished-runs.ts';
import type { CatalogAccess } from '../activity/catalog-access.ts';

export interface DiagnosticsParts {
  readonly home: Home;
  readonly clock: { now(): number };
  readonly catalog: Pick<CatalogAccess, 'read'>;
  readonly keyStore: KeyStore;
  readonly state: AppState;
}

/** The number of runs listed. */
const RUNS = 50;

/** Details of a failure that contain no names or paths. */
const SAFE_DETAILS = new Set(['problem', 'status', 'reason', 'code', 'count', 'total', 'needed', 'free', 'expected']);

/**
 * Returns the state of the app as text for a support request. It contains no secret, path or address, and no name of a file,
 * folder, set, device or network. Sets are numbered.
 */
export function diagnosticsText(parts: DiagnosticsParts): string {
  const { clock, keyStore, state } = parts;
  const settings = settingsOf(parts.home);
  const names = new Names(settings?.sets ?? []);
  const sections = {
    made: new Date(clock.now()).toISOString(),
    program: {
      version: state.version,
      node: process.versions.node,
      electron: process.versions['electron'] ?? null,
      platform: `${platform()} ${release()} ${arch()}`,
      processors: cpus().length,
      memoryMiB: Math.round(totalmem() / 2 ** 20),
      upSeconds: Math.round(process.uptime()),
    },
    destination: destinationOf(settings, state),
    keys: keyStore.protection,
    health: state.health,
    needs: state.needs.map((need) => needOf(need, names)),
    damage: state.damage ? failureOf(state.damage) : null,
    pause: state.pause ?? null,
    preferences: state.preferences,
    sets: (settings?.sets ?? []).map((set) => setOf(set, state, names)),
    running: state.runs.map((run) => activeOf(run, names)),
    runs: settings ? lastRuns(parts, names) : [],
  };
  return `${JSON.stringify(sections, undefined, 2)}\n`;
}

/** Numbers the sets, since their names may be private. */
class Names {
  readonly #names: string[];

  constructor(sets: readonly ConfiguredSet[]) {
    this.#names = sets.map(({ name }) => name);
  }

  of(set: string): string {
    if (!this.#names.includes(set)) this.#names.push(set);
    return `set ${this.#names.indexOf(set) + 1}`;
  }
}

function settingsOf(home: Home): Settings | undefined {
  try {
    return loadSettings(home);
  } catch {
    // The app state reports the damage.
    return undefined;
  }
}

function destinationOf(settings: Settings | undefined, state: AppState): object | null {
  if (!settings) return null;
  const { destination } = settings;
  const signIn = destination.kind === 'service' ? destination.signIn.kind : undefined;
  return { kind: destination.kind, signIn, freeBytes: state.destination?.freeBytes };
}

function setOf(set: ConfiguredSet, { sets }: AppState, names: Names): object {
  const { name, roots, excludes, presets, oneFileSystem, optionalRoots, privateNames, compression } = set;
  const { schedule, limits, verification } = set;
  const { networks, ...conditions } = set.conditions ?? {};
  const state = sets.find((other) => other.name === name);
  return {
    set: names.of(name),
    roots: roots.length,
    excludes: excludes.length,
    presets,
    oneFileSystem,
    optionalRoots: optionalRoots?.length,
    privateNames,
    compression,
    schedule,
    conditions: { ...conditions, networks: networks?.length },
    limits,
    verification,
    ...(state ? setStateOf(state, names) : {}),
  };
}

function setStateOf({ decision, lastMoment, lastPoint, isResumable }: SetState, names: Names): object {
  return {
    decision: decision.kind === 'waiting' ? { ...decision, reason: reasonOf(decision.reason, names) } : decision,
    lastMoment: lastMoment && {
      ...lastMoment,
      waitedFor: lastMoment.waitedFor && reasonOf(lastMoment.waitedFor, names),
    },
    lastPoint,
    isResumable,
  };
}

type Reason = Extract<SetState['decision'], { kind: 'waiting' }>['reason'];

function reasonOf(reason: Reason, names: Names): object {
  switch (reason.kind) {
    case 'other-run':
      return { kind: reason.kind, set: names.of(reason.set) };
    case 'retry':
      return { kind: reason.kind, at: reason.at, failure: failureOf(reason.failure) };
    case 'network':
    case 'busy':
    case 'destination':
      return { kind: reason.kind };
    default:
      return reason;
  }
}

function needOf(need: Need, names: Names): object {
  const { kind } = need;
  const failure = need.kind === 'failed' ? failureOf(need.failure) : undefined;
  return {
    kind,
    failure,
    ...('set' in need && need.set !== undefined ? { set: names.of(need.set) } : {}),
    ...('destination' in need && need.destination ? { destination: need.destination.id } : {}),
  };
}

function failureOf({ code, details }: Failure): object {
  const safe = Object.entries(details).filter(([name, value]) => SAFE_DETAILS.has(name) && isPlain(value));
  return { code, ...Object.fromEntries(safe) };
}

/** A text with a slash may be a path or an address. */
function isPlain(value: unknown): boolean {
  return typeof value === 'string' ? !/[/\\]/.test(value) : typeof value === 'number' || typeof value === 'boolean';
}

function activeOf(
  { set, currentPath: _path, destination: _name, destinations, ...run }: ActiveRun,
  names: Names,
): object {
  const places = destinations?.map(({ id, phase, bytesDone, bytesTotal, waiting, failure }) => ({
    id,
    phase,
    bytesDone,
    bytesTotal,
    waiting,
    failure: failure && failureOf(failure),
  }));
  return { ...run, set: names.of(set), ...(places ? { destinations: places } : {}) };
}

function lastRuns({ catalog }: DiagnosticsParts, names: Names): object[] {
  try {
    return catalog.read(({ journal }) => journal.list({}, RUNS)).map((job) => runOf(job, names));
  } catch {
    return [];
  }
}

function runOf(job: JobRecord, names: Names): object {
  const { failure, set, ...run } = listedRunOf(job);
  const report = runReportOf(job);
  return {
    ...run,
    set: names.of(set),
    failure: failure && failureOf(failure),
    ...(report
      ? {
          files: report.files,
          bytes: report.bytes,
          bytesTransferred: report.bytesTransferred,
          warningReasons: counted(report.warnings),
          failureReasons: counted(report.failures),
        }
      : {}),
  };
}

function counted(entries: readonly { readonly reason: string }[]): Readonly<Record<string, number>> {
  const groups = Map.groupBy(entries, ({ reason }) => reason);
  return Object.fromEntries([...groups].map(([reason, of]) => [reason, of.length]));
}
