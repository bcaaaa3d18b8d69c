import type { Device } from '../protocol/devices.ts';
import type { RestorePoint } from '../protocol/extensions.ts';
import type { RetentionAnswer } from '../protocol/retention.ts';
import type { CheckRequest } from '../jobs/job-request.ts';
import type { RestoreProgress, RunOptions } from '../jobs/progress.ts';
import type { DrillReport, RestoreReport, VerifyReport } from '../restore/types.ts';
import type { ListedEntry } from '../read/list.ts';
import type { ExportReport } from '../restore/export/export-point.ts';
import type { UndoableRestore, UndoReport } from '../restore/undo/undo-report.ts';
import type { UndoOptions } from '../restore/undo/undo-restore.ts';
import { partsAt, type AgentParts } from './context/agent-parts.ts';
import type { CopyOptions } from '../copy/types.ts';
import type { SetReference } from './context/set-source.ts';
import { Identity } from './identity.ts';
import { requireDestination } from './home/find-destination.ts';
import { loadSettings, requireSettings, requireStoredSettings } from './home/settings.ts';
import type { DestinationEntry, FormerDestination, Settings } from './home/settings.ts';
import type { Certificate } from '../ipc/contract/restore/certificate.ts';
import type { ConfiguredSet } from '../model/set.ts';
import type { CheckReport } from '../repository/check/report.ts';
import type { RepairReport } from '../repository/repair/repair-repository.ts';
import type { BackupOptions } from './operations/backup/backup.ts';
import type { BackupRun } from './operations/backup/backup-run.ts';
import type { BackupResult } from './operations/backup/backup-result.ts';
import type {
  AddedDestination,
  DestinationChange,
  DestinationList,
  NewDestination,
} from './operations/destinations.ts';
import type { ExportOptions } from './operations/export/export.ts';
import type { FreeChoice, FreePlan, FreeReport } from './operations/free.ts';
import type { DrillOptions } from './operations/drill/drill.ts';
import type { CopyDestinationRequest, DestinationCopy } from './operations/copy-destination.ts';
import type { changeHooks, SetHooks } from './operations/hooks.ts';
import type { NewCode } from './operations/keys/new-code.ts';
import type { PassphraseReport } from './operations/keys/change-passphrase.ts';
import type { RotationPlan, RotationReport, RotationRequest } from './operations/keys/rotate-key.ts';
import type { OpenedHistory, OpenHistoryOptions } from './operations/history/open-history.ts';
import type { MountEnds, MountObserver, MountOptions } from './operations/mount/mount.ts';
import type { MountReport } from '../mount/mount-report.ts';
import type { ListOptions } from './operations/list.ts';
import type { ComparedPoints, PointsAt } from './operations/points.ts';
import type { ReadingNotes } from './operations/restore/choose-destination.ts';
import type { LocatedSet } from './operations/restore/locate-set.ts';
import type { PeriodReport } from '../ipc/contract/report.ts';
import type { ReportOptions } from './operations/report/period-report.ts';
import type { ReportText } from './operations/report/report-file.ts';
import type { ReportMail } from './operations/report/send-report.ts';
import type { RestoreOptions } from './operations/restore/restore-request.ts';
import type { PolicyChoice, RetentionChoice, ShownPolicy } from './operations/retention/retention.ts';
import { addSet, removeSet, requireSet, saveSet, type AddedSet } from './operations/sets.ts';
import type { SetupReport, SetupRequest } from './operations/setup.ts';
import type { AgentStatus } from './operations/status.ts';
import type { TimerChange, TimerStates } from './operations/timers/switch-timer.ts';
import type { LoginState } from './operations/timers/user-timers.ts';
import type { VerifyOptions } from './operations/verify.ts';
import type { WatchObserver, WatchOptions } from './operations/watch.ts';
import type { NewSet } from './sets/new-set.ts';

/**
 * The door to all operations, for the command line and the window alike. Each operation is loaded with its first call.
 * Every method may throw HoldfastError `not_set_up`, `home_damaged` and what the service throws. Those that lock the home
 * may also throw `home_busy`.
 */
export class Agent {
  readonly #parts: AgentParts;

  constructor(parts: AgentParts) {
    this.#parts = parts;
  }

  /** Chooses the destination and creates or adopts the master key. Nothing is saved if anything fails. */
  async setup(request: SetupRequest, signal?: AbortSignal): Promise<SetupReport> {
    const { setup } = await import('./operations/setup.ts');
    return setup(request, this.#parts, signal);
  }

  /** Returns an agent whose operations use the destination of that name. @throws HoldfastError `destination_unknown` */
  at(destination: string): Agent {
    return new Agent(this.partsAt(destination));
  }

  /** Returns `undefined` before setup. */
  settings(): Settings | undefined {
    return loadSettings(this.#parts.home, this.#parts.destination);
  }

  async destinations(): Promise<DestinationList> {
    const { listDestinations } = await import('./operations/destinations.ts');
    return listDestinations(this.#parts);
  }

  /** @throws what `addDestination` throws */
  async addDestination(request: NewDestination, signal?: AbortSignal): Promise<AddedDestination> {
    const { addDestination } = await import('./operations/destinations.ts');
    return addDestination(request, this.#parts, signal);
  }

  /** Forgets a destination. The backups there stay. @throws HoldfastError `destination_unknown`, `usage` for the only one */
  async removeDestination(name: string): Promise<FormerDestination> {
    const { removeDestination } = await import('./operations/destinations.ts');
    return removeDestination(this.#parts, name);
  }

  /** @throws HoldfastError `destination_unknown`, `destination_exists`, `usage` */
  async changeDestination(name: string, change: DestinationChange): Promise<DestinationEntry> {
    const { changeDestination } = await import('./operations/destinations.ts');
    return changeDestination(this.#parts.home, name, change);
  }

  /** @throws HoldfastError `destination_unknown` */
  protected partsAt(destination: string): AgentParts {
    const { id } = requireDestination(requireStoredSettings(this.#parts.home), destination);
    return partsAt(this.#parts, id);
  }

  sets(): readonly ConfiguredSet[] {
    return requireSettings(this.#parts.home).sets;
  }

  /** @throws HoldfastError `set_unknown` */
  set(name: string): ConfiguredSet {
    return requireSet(requireSettings(this.#parts.home), name);
  }

  /** @throws HoldfastError `set_exists`, `usage`, `source_missing`, `source_unreadable` */
  addSet(request: NewSet): AddedSet {
    return addSet(this.#parts.home, request);
  }

  /** Replaces a configured set. @throws HoldfastError `set_unknown`, and as `addSet` */
  saveSet(name: string, request: Omit<NewSet, 'name'>): AddedSet {
    return saveSet(this.#parts.home, name, request);
  }

  /** Forgets a set. Its restore points stay at the destination. @throws HoldfastError `set_unknown` */
  removeSet(name: string): void {
    removeSet(this.#parts.home, name);
  }

  /** Reports on the last days, from local data only. */
  async report(options: ReportOptions): Promise<PeriodReport> {
    const { periodReport } = await import('./operations/report/period-report.ts');
    return periodReport(this.#parts, options);
  }

  /** @throws HoldfastError `usage`, `mail_failed` */
  async sendReport(mail: ReportMail): Promise<void> {
    const operation = await import('./operations/report/send-report.ts');
    await operation.sendReport(mail);
  }

  /** Sends a text as the weekly report is set up. Returns the recipients. @throws HoldfastError `report_not_set_up`, `mail_failed` */
  async sendStoredReport(text: ReportText): Promise<readonly string[]> {
    const operation = await import('./operations/report/report-file.ts');
    return operation.sendStoredReport(this.#parts, text);
  }

  /** Returns the commands and pings around the backups of a set. @throws HoldfastError `set_unknown` */
  async hooks(name: string): Promise<SetHooks> {
    const { hooksOfSet } = await import('./operations/hooks.ts');
    return hooksOfSet(this.#parts.home, name);
  }

  /** Replaces the commands, and the pings if they are given. @throws HoldfastError `set_unknown`, `usage` */
  async changeHooks(name: string, requested: Parameters<typeof changeHooks>[2]): Promise<SetHooks> {
    const operation = await import('./operations/hooks.ts');
    return operation.changeHooks(this.#parts.home, name, requested);
  }

  /** Backs up a set to all destinations, or to those that the options name. */
  async backup(name: string, options: BackupOptions, run: BackupRun): Promise<BackupResult> {
    const { backUp } = await import('./operations/backup/backup.ts');
    return backUp(this.#parts, name, options, run);
  }

  /** Backs up a set now and after every change in it, until the signal is aborted. */
  async watch(name: string, options: WatchOptions, observer: WatchObserver, signal: AbortSignal): Promise<void> {
    const { watchSet } = await import('./operations/watch.ts');
    return watchSet(this.#parts, name, options, { observer, signal });
  }

  /** Finds the set that a name means for reading: this device's, or the only one of any device. @throws HoldfastError `set_unknown` */
  async locateSet(reference: SetReference, signal?: AbortSignal): Promise<LocatedSet> {
    const { locateSet } = await import('./operations/restore/locate-set.ts');
    return locateSet(this.#parts, reference, signal);
  }

  /** Lists restore points, newest first. @throws HoldfastError `set_unknown` */
  async points(reference: SetReference, signal?: AbortSignal): Promise<readonly RestorePoint[]> {
    const { points } = await import('./operations/points.ts');
    return points(this.#parts, reference, signal);
  }

  /** Like `points`, compared with those that this computer knows. */
  async comparedPoints(reference: SetReference, signal?: AbortSignal): Promise<ComparedPoints> {
    const { comparedPoints } = await import('./operations/points.ts');
    return comparedPoints(this.#parts, reference, signal);
  }

  /** Lists restore points at each destination, newest first. @throws HoldfastError `set_unknown` */
  async pointsEverywhere(reference: SetReference, signal?: AbortSignal): Promise<readonly PointsAt[]> {
    const { pointsEverywhere } = await import('./operations/points.ts');
    return pointsEverywhere(this.#parts, reference, signal);
  }

  /** @throws HoldfastError `set_unknown`, `no_restore_point`, `retention_refused`, `permission_denied` */
  async retention(reference: SetReference, choice: RetentionChoice, signal?: AbortSignal): Promise<RetentionAnswer> {
    const { performRetention } = await import('./operations/retention/retention.ts');
    return performRetention(this.#parts, reference, choice, signal);
  }

  /** As `retention`, but takes and shows a policy also before the first backup. */
  async policy(of: SetReference, choice: PolicyChoice, signal?: AbortSignal): Promise<ShownPolicy> {
    const { performPolicy } = await import('./operations/retention/retention.ts');
    return performPolicy(this.#parts, of, choice, signal);
  }

  /** Yields the content of a folder in batches. */
  async *list(options: ListOptions, signal?: AbortSignal): AsyncGenerator<readonly ListedEntry[]> {
    const { list } = await import('./operations/list.ts');
    yield* list(this.#parts, options, signal);
  }

  /** Opens the history of files of a set. @throws HoldfastError `set_unknown`, and what a destination throws if nothing is known here */
  async openHistory(reference: SetReference, options: OpenHistoryOptions): Promise<OpenedHistory> {
    const { openHistory } = await import('./operations/history/open-history.ts');
    return openHistory(this.#parts, reference, options);
  }

  async restore(options: RestoreOptions, run: RunOptions<RestoreProgress>): Promise<RestoreReport & ReadingNotes> {
    const { restore } = await import('./operations/restore/restore.ts');
    return restore(this.#parts, options, run);
  }

  /** Writes a restore point as an archive. @throws HoldfastError `usage`, `target_unwritable`, `target_full` */
  async exportPoint(options: ExportOptions, run: RunOptions<RestoreProgress> = {}): Promise<ExportReport> {
    const { exportPoint } = await import('./operations/export/export.ts');
    return exportPoint(this.#parts, options, run);
  }

  /** Shows restore points as a file system until it is ended. @throws HoldfastError `mount_failed`, `set_unknown` */
  async mount(options: MountOptions, observer: MountObserver, ends: MountEnds): Promise<MountReport> {
    const { mount } = await import('./operations/mount/mount.ts');
    return mount(this.#parts, options, observer, ends);
  }

  /** Returns which sets systemd backs up by its timer. @throws HoldfastError `timer_failed` */
  async timers(): Promise<TimerStates> {
    const { timerStates } = await import('./operations/timers/switch-timer.ts');
    return timerStates(this.#parts);
  }

  /** Switches the timer of a set. @throws HoldfastError `timer_failed`, `set_unknown` */
  async switchTimer(change: TimerChange): Promise<LoginState> {
    const { switchTimer } = await import('./operations/timers/switch-timer.ts');
    return switchTimer(this.#parts, change);
  }

  /** Returns the newest restore to the original places that can be undone. */
  async undoableRestore(): Promise<UndoableRestore | undefined> {
    const { lastUndoable } = await import('./operations/restore/undo-restore.ts');
    return lastUndoable(this.#parts);
  }

  /** Undoes it. @throws HoldfastError `undo_nothing`, `target_unwritable` */
  async undoRestore(options: UndoOptions, run: RunOptions<RestoreProgress> = {}): Promise<UndoReport> {
    const { undo } = await import('./operations/restore/undo-restore.ts');
    return undo(this.#parts, options, run);
  }

  async verify(options: VerifyOptions, run: RunOptions<RestoreProgress>): Promise<VerifyReport & ReadingNotes> {
    const { verify } = await import('./operations/verify.ts');
    return verify(this.#parts, options, run);
  }

  async drill(options: DrillOptions, run: RunOptions<RestoreProgress>): Promise<DrillReport & ReadingNotes> {
    const { drill } = await import('./operations/drill/drill.ts');
    return drill(this.#parts, options, run);
  }

  /** Returns the facts about the newest test restore of each set. @param sets all by default */
  async drillCertificate(sets?: readonly string[]): Promise<Certificate> {
    const { drillCertificate } = await import('./operations/drill/certificate.ts');
    return drillCertificate(this.#parts, sets);
  }

  /** Checks the whole destination. @throws HoldfastError `usage` for a service */
  async check(request: CheckRequest, run: RunOptions<RestoreProgress>): Promise<CheckReport> {
    const { checkDestination } = await import('./operations/check.ts');
    return checkDestination(this.#parts, request, run);
  }

  /** Repairs the whole destination. @throws HoldfastError `usage` for a service */
  async repair(request: CheckRequest, run: RunOptions<RestoreProgress>): Promise<RepairReport> {
    const { repairDestination } = await import('./operations/check.ts');
    return repairDestination(this.#parts, request, run);
  }

  /** Finds out what can be freed at the destination. @throws HoldfastError `usage` for a service, `home_busy` */
  async planFreeing(signal?: AbortSignal): Promise<FreePlan> {
    const { planFreeing } = await import('./operations/free.ts');
    return planFreeing(this.#parts, signal);
  }

  /** Frees what nobody needs at the destination. @throws as `planFreeing` */
  async freeSpace(choice: FreeChoice, signal?: AbortSignal): Promise<FreeReport> {
    const { freeSpace } = await import('./operations/free.ts');
    return freeSpace(this.#parts, choice, signal);
  }

  /** How this home and a destination know each other. */
  get identity(): Identity {
    return new Identity(this.#parts);
  }

  /** Copies restore points to another destination. @throws HoldfastError `destination_unknown`, `set_unknown`, `usage` */
  async copyDestination(request: CopyDestinationRequest, options: CopyOptions): Promise<DestinationCopy> {
    const { copyDestination } = await import('./operations/copy-destination.ts');
    return copyDestination(this.#parts, request, options);
  }

  async devices(signal?: AbortSignal): Promise<readonly Device[]> {
    const { devices } = await import('./operations/devices.ts');
    return devices(this.#parts, signal);
  }

  async status(): Promise<AgentStatus> {
    const { statusOf } = await import('./operations/status.ts');
    return statusOf(this.#parts);
  }

  /** Finds out what `rotateKey` would do. */
  async planRotation(request: RotationRequest, signal?: AbortSignal): Promise<RotationPlan> {
    const { planRotation } = await import('./operations/keys/rotate-key.ts');
    return planRotation(this.#parts, request, signal);
  }

  /** Changes the key of the backups. @throws HoldfastError `usage`, `key_outdated`, `device_cloned` */
  async rotateKey(request: RotationRequest, signal?: AbortSignal): Promise<RotationReport> {
    const { rotateKey } = await import('./operations/keys/rotate-key.ts');
    return rotateKey(this.#parts, request, signal);
  }

  /** @param passphrase none to remove it. @throws HoldfastError `usage`, `key_outdated` */
  async changePassphrase(passphrase: string | undefined, signal?: AbortSignal): Promise<PassphraseReport> {
    const { changePassphrase } = await import('./operations/keys/change-passphrase.ts');
    return changePassphrase(this.#parts, passphrase, signal);
  }

  /** Makes a one-time code for a new computer. @throws HoldfastError `usage`, `key_outdated` */
  async newKeyCode(signal?: AbortSignal): Promise<NewCode> {
    const { newCode } = await import('./operations/keys/new-code.ts');
    return newCode(this.#parts, signal);
  }

  /** Takes over a new recovery phrase. Returns its epoch. @throws HoldfastError `phrase_invalid`, `phrase_other_account`, `usage` */
  async adoptPhrase(phrase: string, signal?: AbortSignal): Promise<number> {
    const { adoptPhrase } = await import('./operations/keys/adopt-phrase.ts');
    return adoptPhrase(this.#parts, phrase, signal);
  }

  /** Returns the recovery phrase of this home's master key. */
  async recoveryPhrase(): Promise<string> {
    const { recoveryPhrase } = await import('./operations/recovery-phrase.ts');
    return recoveryPhrase(this.#parts);
  }
}
